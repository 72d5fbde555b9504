import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeBase64 } from '../../../src/index.js';

/** What `go/main.go` is asked; bytes are sent in base64. */
export interface Question {
  readonly ask: 'append' | 'root' | 'inclusion' | 'consistency' | 'tile' | 'tiles' | 'new tiles' | 'note';
  readonly [member: string]: unknown;
}

/** What it answers. */
export interface Answer {
  readonly ok: boolean;
  readonly error: string | undefined;
  readonly text: string | undefined;
  readonly names: readonly string[];
  readonly hashes: readonly Uint8Array[];
}

/** Where Debian's golang-golang-x-mod-dev puts its sources. */
const GOPATH = '/usr/share/gocode';
const SOURCES = join(GOPATH, 'src/golang.org/x/mod/sumdb/tlog');
const program = fileURLToPath(new URL('./go/main.go', import.meta.url));

/** Why Go cannot be asked on this machine; undefined where it can. */
export function whyNoGo(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'go is not installed (Debian: golang-go)';
  if (!existsSync(SOURCES)) return `${SOURCES} is missing (Debian: golang-golang-x-mod-dev)`;
  return undefined;
}

/** Compiles the program, without downloading anything; `ask` puts questions to a new run of it, `remove` deletes it. */
export function buildGo(): { ask(questions: readonly Question[]): Answer[]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-go-'));
  const binary = join(folder, 'check');
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH,
    GOFLAGS: '',
    GOPROXY: 'off',
  };
  const built = spawnSync('go', ['build', '-o', binary, program], { env, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the Go program does not compile: ${built.stderr}`);
  return {
    ask: (questions) => ask(binary, questions),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function ask(binary: string, questions: readonly Question[]): Answer[] {
  const input = questions.map((question) => `${JSON.stringify(question, bytesAsBase64)}\n`).join('');
  const run = spawnSync(binary, [], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(`the Go program ended with ${run.status}: ${run.stderr}`);
  const answers = run.stdout.trimEnd().split('\n');
  if (answers.length !== questions.length) throw new Error('the Go program left questions open');
  return answers.map((line) => {
    const { OK, Error: error, Text, Names, Hashes } = JSON.parse(line);
    const hashes = (Hashes ?? []).map((hash: string) => new Uint8Array(Buffer.from(hash, 'base64')));
    return { ok: OK, error, text: Text, names: Names ?? [], hashes };
  });
}

function bytesAsBase64(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? encodeBase64(value) : value;
}
