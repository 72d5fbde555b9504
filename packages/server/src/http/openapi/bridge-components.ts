import { arrayOf, object, oneOfTexts, ref, type Schema, textSchema, wholeNumber } from './schemas.js';

const ENTRY_HANDLE = {
  ...textSchema,
  pattern: '^(deb|cre)_[A-Za-z0-9_-]{17}$',
  description: 'The key to idempotency, and what reports name.',
};
const CALLED_INTENT = { ...ref('called-intent'), description: 'As it was when the call was planned.' };

/** What bridges are sent for intents (interface/bridges#calls), and what they answer (interface/lookups#at-a-bridge). */
export function bridgeComponents(): Record<string, Schema> {
  const side = {
    anyOf: [ref('claim-address'), { type: 'null' }],
    description: 'As the claim has it, in object form; null on the other side of a group.',
  };
  return {
    'bridge-entry': object({
      handle: ENTRY_HANDLE,
      luid: { ...textSchema, pattern: '^\\$ben[.]' },
      schema: oneOfTexts(['debit', 'credit']),
      source: side,
      target: side,
      symbol: ref('claim-address'),
      amount: { type: 'integer', minimum: 1 },
      inputs: { ...arrayOf(wholeNumber(0)), description: 'Indexes of claims.' },
      intent: CALLED_INTENT,
    }),
    'bridge-command': object({ handle: ENTRY_HANDLE, action: oneOfTexts(['commit', 'abort']), intent: CALLED_INTENT }),
    'bridge-entry-call': describeCallBody('bridge-entry'),
    'bridge-command-call': describeCallBody('bridge-command'),
    'called-intent': {
      ...object({
        hash: ref('hash'),
        data: { allOf: [ref('intent-data')], type: 'object', properties: { origin: textSchema } },
        luid: ref('luid'),
        meta: {
          allOf: [ref('meta')],
          ...object({ thread: textSchema, domains: arrayOf(textSchema), routed: { type: 'boolean' } }, [
            'domains',
            'routed',
          ]),
        },
      }),
      description: 'An intent as bridges are shown it: with `meta.domains` in some calls only.',
    },
    'bridge-items': {
      ...object({ data: arrayOf({ type: 'object', additionalProperties: true }) }),
      description: 'Each item is the data of an anchor or domain; 1,000 at most.',
    },
  };
}

function describeCallBody(data: string): Schema {
  const proofs = { ...arrayOf(ref('proof')), description: 'One, by the ledger, which says `moment` alone.' };
  return object({ hash: ref('hash'), data: ref(data), meta: object({ proofs }) });
}
