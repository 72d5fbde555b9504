import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { Description } from '../http/description.js';
import { withServer } from '../support/server.js';
import type { Part } from './parts.js';
import { SPECTRAL } from './spectral.js';

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

  it.each(Object.keys(SPECTRAL))(
    'is nothing, by the recommended rule %s of Spectral',
    { timeout: 60_000 },
    async (rule) => {
      expect(await SPECTRAL[rule]?.(described.document as unknown as Part)).toEqual([]);
    },
  );

  it('is said of what breaks a rule of Spectral', { timeout: 60_000 }, async () => {
    expect(Object.keys(FAULTS).sort()).toEqual(Object.keys(SPECTRAL).sort());
    for (const [rule, spoil] of Object.entries(FAULTS)) {
      const document = structuredClone(described.document) as unknown as Loose;
      spoil(document);
      expect(await SPECTRAL[rule]?.(document), rule).not.toEqual([]);
    }
  });
});

interface Changeable {
  readonly paths: Record<string, Record<string, { operationId: string; summary: string }>>;
  readonly components: { readonly schemas: Record<string, object> };
}

/** A document that is spoilt at will. */
// biome-ignore lint/suspicious/noExplicitAny: what is spoilt has no types any more
type Loose = any;

const wallet = (document: Loose) => document.paths['/wallets/{id}'].get;
const webhook = (document: Loose): Loose => Object.values(document.webhooks)[0];

/** For each rule, a document that breaks it. */
const FAULTS: Readonly<Record<string, (document: Loose) => void>> = {
  'operation-success-response': (document) => {
    wallet(document).responses = { 404: { description: 'Not there.' } };
  },
  'operation-operationId-unique': (document) => {
    wallet(document).operationId = 'createWallet';
  },
  'operation-parameters': (document) => wallet(document).parameters.push(...wallet(document).parameters),
  'operation-tag-defined': (document) => wallet(document).tags.push('Purse'),
  'path-params': (document) => {
    document.paths['/wallets/{name}'] = document.paths['/wallets/{id}'];
  },
  'duplicated-entry-in-enum': (document) => {
    document.components.schemas['wallet-data'].properties.colour = { enum: ['red', 'red'] };
  },
  'info-contact': (document) => delete document.info.contact,
  'info-description': (document) => delete document.info.description,
  'no-eval-in-markdown': (document) => {
    wallet(document).description += 'eval(1)';
  },
  'no-script-tags-in-markdown': (document) => {
    wallet(document).description += '<script>';
  },
  'openapi-tags-uniqueness': (document) => document.tags.push(document.tags[0]),
  'operation-description': (document) => delete wallet(document).description,
  'operation-operationId': (document) => delete wallet(document).operationId,
  'operation-operationId-valid-in-url': (document) => {
    wallet(document).operationId = 'read wallet';
  },
  'operation-tags': (document) => {
    wallet(document).tags = [];
  },
  'path-declarations-must-exist': (document) => {
    document.paths['/wallets/{}'] = {};
  },
  'path-keys-no-trailing-slash': (document) => {
    document.paths['/wallets/'] = {};
  },
  'path-not-include-query': (document) => {
    document.paths['/wallets?a=b'] = {};
  },
  'array-items': (document) => {
    document.components.schemas['wallet-data'].properties.colours = { type: 'array' };
  },
  'typed-enum': (document) => {
    document.components.schemas['wallet-data'].properties.colour = { type: 'string', enum: [1] };
  },
  'oas3-api-servers': (document) => {
    document.servers = [];
  },
  'oas3-examples-value-or-externalValue': (document) => {
    wallet(document).responses[200].content['application/json'].examples = { one: { summary: 'Nothing.' } };
  },
  'oas3-operation-security-defined': (document) => {
    wallet(document).security = [{ password: [] }];
  },
  'oas3-server-trailing-slash': (document) => {
    document.servers[0].url += '/';
  },
  'oas3-valid-media-example': (document) => {
    wallet(document).responses[200].content['application/json'].example.hash = 5;
  },
  'oas3-valid-schema-example': (document) => {
    document.components.schemas['wallet-data'].properties.colour = { type: 'string', default: 1 };
  },
  'oas3-schema': (document) => {
    document.paths['/wallets/{id}'].fetch = 'it';
  },
  'oas3-unused-component': (document) => {
    document.components.schemas.purse = { type: 'object' };
  },
  'oas3-server-variables': (document) => {
    document.servers[0].url += '/{region}';
  },
  'oas3-callbacks-in-callbacks': (document) => {
    wallet(document).callbacks = { one: { '{$url}': { post: { callbacks: {} } } } };
  },
  'oas3_1-servers-in-webhook': (document) => {
    webhook(document).post.servers = [{ url: 'https://other.example' }];
  },
  'oas3_1-callbacks-in-webhook': (document) => {
    webhook(document).post.callbacks = {};
  },
};
