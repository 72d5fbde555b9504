import type { Kind } from '../../kinds/kind.js';
import { kinds } from '../../kinds/registry.js';
import { arrayOf, object, oneOfTexts, ref, type Schema, textSchema } from './schemas.js';

/** An event: one form for each signal that operations or intents raise (interface/effects#events). */
export function eventComponents(): Record<string, Schema> {
  const forms = [...kinds.flatMap(eventForms), ...SETTLEMENT_FORMS];
  return {
    event: object({
      data: { oneOf: forms.map(([name]) => ref(name)), description: 'By signal.' },
      hash: ref('hash'),
      meta: object({ proofs: { ...arrayOf(ref('proof')), description: 'One, of the ledger, for this delivery.' } }),
    }),
    ...Object.fromEntries(forms),
  };
}

type Form = readonly [name: string, schema: Schema];

const EVENT_HANDLE_SCHEMA: Schema = {
  ...textSchema,
  pattern: '^evt_[A-Za-z0-9_-]{17}$',
  description: 'The same for all receivers: what was received once is known by it.',
};

function form(signal: string, members: Record<string, Schema>): Form {
  return [`${signal}-event`, object({ handle: EVENT_HANDLE_SCHEMA, signal: oneOfTexts([signal]), ...members })];
}

/** What changes of the records of a kind raise. */
function eventForms({ name, lifecycle: { signals } }: Kind): Form[] {
  const record = { ...ref(name), description: 'As it was served after the change.' };
  const parent = { ...ref(name), description: 'As it was before.' };
  const members: Readonly<Record<string, Record<string, Schema>>> = {
    created: { [name]: record },
    updated: { [name]: record, parent },
    'proofs-added': { [name]: { ...textSchema, description: 'Handle of the record.' }, proofs: PROOFS },
    dropped: { parent },
  };
  return Object.entries(members)
    .map(([verb, more]) => [`${name}-${verb}`, more] as const)
    .filter(([signal]) => signals.includes(signal))
    .map(([signal, more]) => form(signal, more));
}

const PROOFS: Schema = { ...arrayOf(ref('proof')), description: 'One: that of the ledger, or the one that was added.' };

const OF_INTENT = { wallet: ref('wallet'), symbol: ref('symbol'), intent: ref('intent') };

/** What intents raise when balances change. */
const SETTLEMENT_FORMS: readonly Form[] = [
  form('balance-received', { ...OF_INTENT, amount: { type: 'integer', description: 'What was credited.' } }),
  form('wallet-limited', {
    ...OF_INTENT,
    amount: { type: 'integer', description: 'Of the limit.' },
    metric: textSchema,
  }),
];
