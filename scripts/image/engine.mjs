import { readFileSync } from 'node:fs';
import { can, run } from './run.mjs';

/** Programs that build images, in the order in which they are tried, and what shows that one works. */
const ENGINES = { docker: ['info'], buildah: ['info'], podman: ['info'] };

/**
 * The program that builds images on this machine.
 *
 * @param {string} [wanted] its name; by default the first one that works
 * @throws Error where none is there
 */
export function findEngine(wanted) {
  const names = wanted === undefined ? Object.keys(ENGINES) : [wanted];
  const found = names.find((name) => name in ENGINES && can(name, ENGINES[name]));
  if (found === undefined)
    throw new Error(`none of ${names.join(', ')} works here: install one, such as Debian's buildah`);
  return found;
}

/**
 * Builds the image.
 *
 * @param {string} engine
 * @param {{context: string, tag: string, platform: string, isFresh: boolean, args: Record<string, string>, labels: Record<string, string>}} given
 *   the folder with `Containerfile` and `app`; `platform` such as `linux/amd64`; `isFresh` takes nothing from earlier builds
 */
export function build(engine, { context, tag, platform, isFresh, args, labels }) {
  const given = [
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
  ];
  const common = ['--platform', platform, '--file', `${context}/Containerfile`, '--tag', tag, ...given];
  const anew = isFresh ? ['--pull', '--no-cache'] : [];
  if (engine === 'docker') return run('docker', ['build', ...anew, ...common, context]);
  // The OCI format has no health check.
  const format = ['--format', 'docker', '--isolation', isolation(), ...ulimits(), '--layers=false', '--force-rm'];
  // One that was made here is in no registry.
  const isPulled = !Object.values(args).some((value) => value.startsWith('localhost/'));
  const again = isFresh && isPulled ? ['--pull=always'] : [];
  return run(engine, [engine === 'buildah' ? 'bud' : 'build', ...again, ...format, ...common, context]);
}

/** Takes an image from its registry. @returns {string | undefined} why it cannot be had */
export function pull(engine, image, platform) {
  try {
    run(engine, ['pull', '--quiet', '--platform', platform, image], { quiet: true, timeout: 300_000 });
    return undefined;
  } catch (error) {
    return error.message.trim().split('\n').at(-1);
  }
}

/** What a command in the image prints. @param {readonly string[]} command */
export function output(engine, image, command) {
  const [program, ...args] = command;
  if (engine !== 'buildah') {
    return run(engine, ['run', '--rm', '--entrypoint', program, image, ...args], { quiet: true });
  }
  const container = run('buildah', ['from', '--pull-never', ...ulimits(), image], { quiet: true });
  try {
    return run('buildah', ['run', '--isolation', isolation(), container, '--', ...command], { quiet: true });
  } finally {
    run('buildah', ['rm', container], { quiet: true });
  }
}

/** Identity of an image, and its size in bytes. @returns {{id: string, size: number}} */
export function describe(engine, image) {
  if (engine !== 'buildah') {
    const [id, size] = run(engine, ['image', 'inspect', '--format', '{{.Id}} {{.Size}}', image], { quiet: true }).split(
      ' ',
    );
    return { id: id.replace(/^sha256:/, ''), size: Number(size) };
  }
  const id = run('buildah', ['inspect', '--type', 'image', '--format', '{{.FromImageID}}', image], { quiet: true });
  const container = run('buildah', ['from', '--pull-never', ...ulimits(), image], { quiet: true });
  try {
    const folder = run('buildah', ['mount', container], { quiet: true });
    return { id, size: Number(run('du', ['--summarize', '--bytes', folder], { quiet: true }).split('\t')[0]) };
  } finally {
    run('buildah', ['rm', container], { quiet: true });
  }
}

/** Writes the image to a file that `docker load` and `podman load` read. */
export function save(engine, image, file) {
  if (engine === 'buildah') return run('buildah', ['push', '--quiet', image, `docker-archive:${file}:${image}`]);
  return run(engine, ['save', '--output', file, image]);
}

/** Removes an image from the store of the engine. */
export function discard(engine, image) {
  run(engine, ['rmi', image], { quiet: true });
}

/** Within a container, only `chroot` works. */
function isolation() {
  return process.env.BUILDAH_ISOLATION || 'chroot';
}

/** Bounds of containers: those that Buildah asks for by default may be refused, and no more than this is granted. */
const MOST = { nofile: 1_048_576, nproc: 32_768 };

/** Options for the bounds that this process may grant. */
export function ulimits() {
  const lines = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name) => Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(lines)?.[1] ?? Number.POSITIVE_INFINITY);
  const bounds = { nofile: hard('Max open files'), nproc: hard('Max processes') };
  return Object.entries(bounds).flatMap(([name, most]) => {
    const bound = Math.min(most, MOST[name]);
    return ['--ulimit', `${name}=${bound}:${bound}`];
  });
}
