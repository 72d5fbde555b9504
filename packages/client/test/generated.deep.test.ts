import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { DESCRIPTION } from '../src/generated/description.js';
import { KINDS } from '../src/generated/kinds.js';
import { connect } from '../src/index.js';

const server = withServer();

it('is what the description of the server gives now', { timeout: 120_000 }, async () => {
  // Plain JavaScript, which has no types.
  const { generate } = await import(new URL('../scripts/generate.mjs', import.meta.url).href);
  const document = await (await fetch(`${server.current.url}/openapi.json`)).json();
  for (const [name, text] of Object.entries(await generate(document))) {
    const committed = await readFile(new URL(`../src/generated/${name}`, import.meta.url), 'utf8');
    expect(committed === text, `${name} is out of date: node packages/client/scripts/generate.mjs`).toBe(true);
  }
});

it('knows every kind that a ledger has, and its operations are there', () => {
  const ledger = connect({ server: server.current.url });
  expect(Object.keys(KINDS)).toHaveLength(15);
  for (const { record, operations, parent } of DESCRIPTION) {
    const kind = ledger.kind(record as keyof typeof KINDS, parent && 'above') as unknown as Record<string, unknown>;
    for (const { name } of operations) expect(typeof kind[name], `${record} ${name}`).toBe('function');
  }
});
