import { count, listOf, object, oneOfTexts, ref, type Schema, text } from './schemas.js';

const ENTRY = {
  ...text,
  pattern: '^(deb|cre)_[A-Za-z0-9_-]{17}$',
  description: 'The key to idempotency, and what reports name.',
};
const INTENT = { ...ref('called-intent'), description: 'As it was when the call was planned.' };

/** What bridges are sent for intents (interface/bridges#calls), and what they answer (interface/lookups#at-a-bridge). */
export function bridgeComponents(): Record<string, Schema> {
  const side = {
    anyOf: [ref('claim-address'), { type: 'null' }],
    description: 'As the claim has it, in object form; null on the other side of a group.',
  };
  return {
    'bridge-entry': object({
      handle: ENTRY,
      luid: { ...text, pattern: '^\\$ben[.]' },
      schema: oneOfTexts(['debit', 'credit']),
      source: side,
      target: side,
      symbol: ref('claim-address'),
      amount: { type: 'integer', minimum: 1 },
      inputs: { ...listOf(count(0)), description: 'Indexes of claims.' },
      intent: INTENT,
    }),
    'bridge-command': object({ handle: ENTRY, action: oneOfTexts(['commit', 'abort']), intent: INTENT }),
    'bridge-entry-call': signedBody('bridge-entry'),
    'bridge-command-call': signedBody('bridge-command'),
    'called-intent': {
      ...object({
        hash: ref('hash'),
        data: { allOf: [ref('intent-data')], type: 'object', properties: { origin: text } },
        luid: ref('luid'),
        meta: {
          allOf: [ref('meta')],
          ...object({ thread: text, domains: listOf(text), routed: { type: 'boolean' } }, ['domains', 'routed']),
        },
      }),
      description: 'An intent as bridges are shown it: with `meta.domains` in some calls only.',
    },
    'bridge-items': {
      ...object({ data: listOf({ type: 'object', additionalProperties: true }) }),
      description: 'Each item is the data of an anchor or domain; 1,000 at most.',
    },
  };
}

function signedBody(data: string): Schema {
  const proofs = { ...listOf(ref('proof')), description: 'One, by the ledger, which says `moment` alone.' };
  return object({ hash: ref('hash'), data: ref(data), meta: object({ proofs }) });
}
