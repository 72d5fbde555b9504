import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readJson } from '@countersign/protocol';
import { root } from '../support/documents.js';

/** Programs that the image is made by where no registry of images is reached. */
const NEEDED = ['buildah', 'mmdebstrap'];

/** Why no image can be made on this machine; undefined where it can. */
export function whyNoImage(): string | undefined {
  if (process.getuid?.() !== 0) return 'a base for the image is made by root alone';
  const missing = NEEDED.filter((name) => spawnSync(name, ['--version']).status !== 0);
  return missing.length === 0 ? undefined : `${missing.join(' and ')} is not installed (Debian has it)`;
}

/** What a container is started by, as the image says. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, object>>;
  readonly StopSignal: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Labels: Readonly<Record<string, string>>;
}

const run = promisify(execFile);

/** Runs a program to its end. @returns its standard output, trimmed */
export async function output(program: string, args: readonly string[]): Promise<string> {
  return (await run(program, args, { cwd: root, maxBuffer: 2 ** 26 })).stdout.trim();
}

/** The image, laid out as a file system that containers are run on. */
export class Image {
  readonly #container: string;
  /** Its files, as this machine sees them. */
  readonly folder: string;
  readonly config: ImageConfig;

  private constructor(container: string, mounted: string, config: ImageConfig) {
    this.#container = container;
    this.folder = mounted;
    this.config = config;
  }

  static async open(tag: string): Promise<Image> {
    const { Docker } = readJson(await output('buildah', ['inspect', '--type', 'image', tag])) as {
      Docker: { config: ImageConfig };
    };
    const { ulimits } = await import(join(root, 'scripts/image/engine.mjs'));
    const container = await output('buildah', ['from', '--pull-never', ...ulimits(), tag]);
    return new Image(container, await output('buildah', ['mount', container]), Docker.config);
  }

  /** Runs one command in a container. @returns its exit code, and what it wrote to standard output; why it failed, where it did */
  async run(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const args = ['run', '--isolation', 'chroot', ...given, this.#container, '--', ...command];
    return run('buildah', args).then(
      ({ stdout }) => ({ code: 0, out: stdout.trim() }),
      (failed: { code: number; stdout: string; stderr: string }) => ({
        code: failed.code,
        out: failed.stdout.trim(),
        why: failed.stderr,
      }),
    );
  }

  /** Starts a container with a root file system that is read-only, a volume for the data, and `/tmp` in memory. */
  start(volume: string, env: Readonly<Record<string, string>>): Container {
    return new Container(this.folder, this.config, volume, env);
  }

  async remove(): Promise<void> {
    await output('buildah', ['rm', this.#container]);
  }
}

/** Lays out the mounts of a container, and becomes its first process. */
const BEGIN = `
set -e
mount --bind "$LOWER" "$AT"
mount --bind "$VOLUME" "$AT$PLACE"
mount -t tmpfs tmpfs "$AT/tmp"
mount --rbind /dev "$AT/dev"
mount -t proc proc "$AT/proc"
mount -o remount,bind,ro "$AT"
exec chroot --userspec="$WHO" "$AT" /usr/bin/env -i "$@"`;

/** A container that runs, on the network of this machine. */
export class Container {
  readonly #process: ChildProcess;
  readonly #at = mkdtempSync(join(tmpdir(), 'countersign-root-'));
  readonly #closed: Promise<unknown[]>;
  said = '';

  constructor(lower: string, config: ImageConfig, volume: string, env: Readonly<Record<string, string>>) {
    mkdirSync(volume, { recursive: true });
    const [place = ''] = Object.keys(config.Volumes);
    const all = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
    const args = ['--mount', '--pid', '--fork', 'sh', '-c', BEGIN, 'sh', ...all, ...config.Entrypoint, ...config.Cmd];
    const means = { LOWER: lower, AT: this.#at, VOLUME: volume, PLACE: place, WHO: config.User };
    this.#process = spawn('unshare', args, { env: { ...process.env, ...means } });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.said += text;
      });
    }
    this.#closed = once(this.#process, 'close');
  }

  /** The first process of the container, as this machine numbers it. */
  get #first(): number {
    const { pid } = this.#process;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  }

  /** User, and name of the program, of each process in the container. */
  processes(): { uid: number; name: string }[] {
    const below = (pid: number): number[] => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => below(Number(child))))];
    };
    return below(this.#first).map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const [, name = ''] = /^Name:\t(.+)$/m.exec(status) ?? [];
      return { uid: Number(/^Uid:\t(\d+)/m.exec(status)?.[1]), name };
    });
  }

  /** Sends the signal to the first process. @returns the exit code, once every process has ended */
  async stop(signal: NodeJS.Signals): Promise<number> {
    process.kill(this.#first, signal);
    const [code] = await this.#closed;
    rmSync(this.#at, { recursive: true });
    return code as number;
  }
}
