import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, knows } from './sendable.js';

/** The files that are served; those of any other type are not. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
};

/** The codings that a file may be kept in beside its own form, the better first, and the endings of their files. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Where bundlers put files whose names have the hash of the content: such a name never stands for anything else. */
const HASHED_PATH = /^assets\//;

/**
 * The files of a folder, by their names in it. Nothing else of the disk is ever read. A folder that is replaced, as by a build,
 * is noticed.
 */
export class StaticFiles {
  readonly #folder: string | undefined;
  #names: ReadonlySet<string> = new Set();
  /** Of the folder that the names are of. */
  #version = '';
  readonly #etags = new Map<string, string>();

  /** @param folder need not be there; undefined where there can be none */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Whether there is a file of that name, of a type that is served. */
  has(name: string): boolean {
    this.#look();
    return this.#names.has(name) && extname(name) in TYPES;
  }

  /**
   * Sends a file that is there, in the best coding that the client takes and that it is kept in; 304 to who has it already.
   *
   * @param headers what each answer of the site has, such as its policy
   * @throws Error where the folder was replaced just then
   */
  async send(request: FastifyRequest, reply: FastifyReply, name: string, headers: Readonly<Record<string, string>>) {
    const accepted = new Set(
      String(request.headers['accept-encoding'] ?? '')
        .split(',')
        .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
        .map((part) => part.split(';')[0]?.trim().toLowerCase()),
    );
    const [coding, ending] = CODINGS.find(([one, kept]) => accepted.has(one) && this.#names.has(name + kept)) ?? [];
    const file = name + (ending ?? '');
    const known = this.#etags.get(file);
    const isKnown = known !== undefined && knows(request, known);
    const body = isKnown ? undefined : await readFile(join(this.#folder as string, file));
    const etag = known ?? etagOf(body!);
    this.#etags.set(file, etag);
    reply.headers({
      ...headers,
      etag,
      vary: 'accept-encoding',
      'content-type': TYPES[extname(name)] as string,
      'cache-control': HASHED_PATH.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    if (coding !== undefined) reply.header('content-encoding', coding);
    return isKnown || knows(request, etag) ? reply.code(304).send() : reply.send(body);
  }

  /** Reads the names anew where the folder is another one. */
  #look(): void {
    const found = this.#folder === undefined ? undefined : statSync(this.#folder, { throwIfNoEntry: false });
    const version = found ? `${found.ino} ${found.mtimeMs}` : '';
    if (version === this.#version) return;
    const names = found ? readdirSync(this.#folder as string, { recursive: true, encoding: 'utf8' }) : [];
    this.#names = new Set(names.map((name) => name.replaceAll('\\', '/')));
    this.#version = version;
    this.#etags.clear();
  }
}
