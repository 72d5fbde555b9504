import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { kinds } from '../../../server/src/kinds/registry.js';
import { everyKind } from '../../../server/test/archive/every-kind.js';
import { examples } from '../../../server/test/kinds/examples.js';
import { transfer } from '../../../server/test/money/scene.js';
import type { TestClient } from '../../../server/test/support/client.js';
import { pathOf } from '../../../server/test/support/scene.js';

/** What strangers write in the hope that a page takes it for markup, script, an address, or an order of letters. */
export const TEXTS: readonly string[] = [
  '<script>globalThis.hacked = 1</script>',
  '<img src=x onerror="globalThis.hacked = 1">',
  '"><svg onload=globalThis.hacked=1>',
  "';globalThis.hacked=1;//",
  '</script><script>globalThis.hacked=1</script>',
  'javascript:globalThis.hacked=1',
  'data:text/html,<script>globalThis.hacked=1</script>',
  '<a href="https://evil.example">here</a>',
  '<style>*{display:none}</style>',
  '{{constructor.constructor("globalThis.hacked=1")()}}',
  '$' + '{globalThis.hacked=1}',
  '<iframe src="https://evil.example"></iframe>',
  '\u202egnp.exe\u202c',
  '\u2067right to left\u2069 \u2066left',
  'zero\u200bwidth\ufeff\u00ad',
  'line\nbreak\ttab\u0007bell\u001b[31m',
  '<!--',
  ']]>',
  '&lt;script&gt;',
  '&#x3c;img src=x onerror=globalThis.hacked=1&#x3e;',
  'url(https://evil.example/x.png)',
  '=HYPERLINK("https://evil.example")',
  '__proto__',
  'constructor',
  'toString',
  '\u2713 Checked here: the data is unaltered, and the ledger has countersigned it.',
  'مرحبا',
  'שלום',
  'x'.repeat(20_000),
  '🏴\u200d☠️'.repeat(500),
];

/** Wallets that strangers make. */
const WALLETS = 200;

/**
 * A ledger with records of every kind, whose data, labels, notes, claims, rules and schemas are hostile.
 *
 * @returns a client, and how many hostile records there are
 */
export async function hostileLedger(url: string): Promise<{ readonly client: TestClient; readonly made: number }> {
  const { client } = await everyKind(url);
  const statuses: number[] = [];
  for (let at = 0; at < WALLETS; at++) {
    const { status } = await client.create('/wallets', { handle: `wallet-${at}`, custom: customOf(at) }, noteOf(at));
    statuses.push(status);
  }
  for (const [at] of TEXTS.entries()) {
    const claim = { ...transfer('alice', 'bob', 1), custom: customOf(at) };
    const data = { handle: `evil-${at}`, claims: [claim], custom: customOf(at + 1) };
    statuses.push((await client.create('/intents', data, noteOf(at))).status);
  }
  for (const [at, kind] of kinds.entries()) {
    if (kind.name === 'ledger' || !kind.lifecycle.operations.includes('update')) continue;
    const data = { ...examples[kind.name].minimal(`${kind.name}-a`), custom: customOf(at) };
    statuses.push(await changeTo(client, pathOf(kind, data), data));
  }
  const { body } = await client.get('/ledger');
  const { handle, signer, access, config } = body.data;
  const rule = { action: 'read', record: 'wallet', filter: { 'custom.text': TEXTS[1] } };
  const ledger = { handle, signer, access: [...access, rule], config, custom: customOf(0) };
  statuses.push(await changeTo(client, '/ledger', ledger));
  statuses.push((await client.create('/schemas', SCHEMA)).status);
  return { client, made: statuses.filter((status) => status < 300).length };
}

/** A schema for wallets: forms are made of it. */
const SCHEMA: JsonObject = {
  handle: 'evil',
  record: 'wallet',
  format: 'json-schema',
  schema: {
    $id: 'x',
    type: 'object',
    title: TEXTS[0]!,
    properties: {
      custom: {
        type: 'object',
        title: TEXTS[1]!,
        required: [TEXTS[2]!],
        properties: {
          [TEXTS[2]!]: { type: 'string', title: TEXTS[3]!, description: TEXTS[4]!, default: TEXTS[5]! },
          [TEXTS[12]!]: { enum: [...TEXTS.slice(6, 12)] },
          list: { type: 'array', items: { type: 'string', description: TEXTS[7]! } },
        },
      },
    },
  },
};

function customOf(at: number): JsonObject {
  const text = textAt(at);
  const other = textAt(at * 7 + 3);
  const named = at % 3 === 0 && !text.startsWith('__') ? { [text.slice(0, 200)]: other } : { text: other };
  return { text, deep: { list: [text, { other }] }, ...named };
}

function noteOf(at: number): JsonObject {
  return { status: 'created', note: textAt(at).slice(0, 500) };
}

function textAt(at: number): string {
  return TEXTS[at % TEXTS.length] as string;
}

async function changeTo(client: TestClient, path: string, data: JsonObject): Promise<number> {
  const record = (await client.get(path)).body as RecordEnvelope;
  await client.prove(path, record, { labels: [textAt(1), textAt(12)], note: textAt(2) });
  return (await client.update(path, record, data)).status;
}
