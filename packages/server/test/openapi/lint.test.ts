import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { Description } from '../http/description.js';
import { withServer } from '../support/server.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** What Redocly's recommended rules find. */
async function lint(document: unknown): Promise<{ rule: string; at: string }[]> {
  const linter = spawn(process.execPath, [join(root, 'tools/openapi-lint/lint.mjs')]);
  const ended = new Promise<number | null>((resolve) => linter.once('close', resolve));
  linter.stdin.end(JSON.stringify(document));
  const [found, errors] = await Promise.all([text(linter.stdout), text(linter.stderr)]);
  expect(await ended, errors).toBe(0);
  return JSON.parse(found);
}

describe('what linters say of the description', () => {
  const server = withServer();
  let described: Description;
  beforeAll(async () => {
    described = await Description.of(server.current.url);
  });

  it('is nothing, by the recommended rules of Redocly', { timeout: 60_000 }, async () => {
    expect(await lint(described.document)).toEqual([]);
  });

  it('is said of what is wrong', { timeout: 60_000 }, async () => {
    const changed = structuredClone(described.document) as unknown as Changeable;
    const { get } = changed.paths['/wallets/{id}'] ?? {};
    if (!get) throw new Error('Wallets are read.');
    get.operationId = 'createWallet';
    get.summary = '';
    changed.components.schemas.unused = { type: 'object' };
    const rules = (await lint(changed)).map(({ rule }) => rule);
    expect(rules).toEqual(
      expect.arrayContaining(['operation-operationId-unique', 'operation-summary', 'no-unused-components']),
    );
  });

  it('leaves nothing that the recommended rules of Spectral ask for', () => {
    const { info, tags, servers, paths, webhooks } = described.document as unknown as Whole;
    expect(info.contact).toEqual({ name: 'The operator of this server', url: expect.stringMatching(/^http/) });
    for (const { url } of servers) expect(url).not.toMatch(/\/$/);
    expect(tags.filter(({ description = '' }) => description === '')).toEqual([]);
    const names = tags.map(({ name }) => name);
    const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((path) =>
      Object.entries(path).filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method)),
    );
    expect(operations.length).toBeGreaterThan(150);
    const without = operations.filter(([, one]) => !one.description || !one.summary || one.tags.length !== 1);
    expect(without).toEqual([]);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(operations.flatMap(([, one]) => one.tags))).toEqual(new Set(names));
    const answers = operations.map(([, { responses }]) => Object.keys(responses));
    expect(answers.filter((statuses) => !statuses.some((status) => /^[23]/.test(status)))).toEqual([]);
  });
});

interface Changeable {
  readonly paths: Record<string, Record<string, { operationId: string; summary: string }>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Whole {
  readonly info: { readonly contact: object };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Operations;
  readonly webhooks: Operations;
}

type Operations = Readonly<
  Record<
    string,
    Readonly<
      Record<string, { operationId: string; description?: string; summary?: string; tags: string[]; responses: object }>
    >
  >
>;
