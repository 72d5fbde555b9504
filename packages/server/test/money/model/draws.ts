import fc from 'fast-check';
import { LINE_FAULTS, type LineFault } from './line.js';
import { type Claim, type Intended, WALLETS } from './plain-model.js';

const isLong = process.env.LONG_TESTS !== undefined;
/** Sequences that are followed at the same time, groups in a phase, and intents of a group, at most. */
const SEQUENCES = isLong ? 20 : 12;
const MOST = isLong ? 4 : 3;
/** Copies of one intent that are sent at the same time where there is a crowd. */
const CROWD = 8;

/** One of the two processes of a deployment. */
export type ProcessNumber = 0 | 1;

/** An intent of a sequence, and how it is sent. */
export interface Sent extends Intended {
  /** The process that is sent it first. */
  readonly to: ProcessNumber;
  /** Whether both are sent the same at the same time. */
  readonly isTwice: boolean;
  /** How many intents are sent that differ in their handles only, to each process in turn. */
  readonly copies: number;
}

/** Intents that are sent at the same time, after one another, on one day. */
export type Phase = readonly (readonly Sent[])[];

/** What may happen to a process that then answers nothing, or that it cannot. */
export const PROCESS_FAULTS = ['killed', 'both killed', 'left', 'database cut', 'database stalled'] as const;
type ProcessFault = (typeof PROCESS_FAULTS)[number];

export type Kind = ProcessFault | LineFault | 'stood still' | 'siblings apart' | 'leaders lost';

const KINDS: readonly Kind[] = [
  ...PROCESS_FAULTS,
  ...(Object.keys(LINE_FAULTS) as LineFault[]),
  'stood still',
  'siblings apart',
  'leaders lost',
];

/** What happens amid a phase, to all sequences. */
export interface Disturbance {
  readonly kind: Kind;
  /** Answers of the phase after which it happens. */
  readonly after: number;
  /** Whether it happens to the leader of the ledger, where it happens to one process. */
  readonly isOfLeader: boolean;
  /** How often: questions that meet a fault, times that leaders are lost. */
  readonly times: number;
  /** Whether a day goes by after it. */
  readonly isOvernight: boolean;
}

/** Sequences that go on together, a phase of each at a time. */
export interface Round {
  readonly disturbances: readonly Disturbance[];
  readonly sequences: readonly (readonly Phase[])[];
}

const wallet = fc.constantFrom(...Object.keys(WALLETS));
const address = fc.oneof({ arbitrary: wallet, weight: 30 }, { arbitrary: fc.constant('nobody'), weight: 1 });
const amount = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 30 }), weight: 30 },
  { arbitrary: fc.constant(Number.MAX_SAFE_INTEGER), weight: 1 },
);
const bound = fc.oneof(
  fc.record({
    metric: fc.constantFrom('minBalance', 'maxBalance', 'dailyAmount'),
    amount: fc.integer({ min: -20, max: 60 }),
  }),
  fc.record({ metric: fc.constant('dailyCount'), amount: fc.integer({ min: 0, max: 6 }) }),
);
const claim: fc.Arbitrary<Claim> = fc.oneof(
  { arbitrary: fc.record({ action: fc.constant('issue' as const), target: address, amount }), weight: 4 },
  {
    arbitrary: fc.record({ action: fc.constant('transfer' as const), source: address, target: address, amount }),
    weight: 8,
  },
  { arbitrary: fc.record({ action: fc.constant('destroy' as const), source: wallet, amount }), weight: 2 },
  {
    arbitrary: fc.tuple(wallet, bound).map(([one, set]) => ({ action: 'limit' as const, wallet: one, ...set })),
    weight: 3,
  },
);

/** The second now and then, the first else. */
function seldom<Value>(usual: Value, rare: Value, one: number): fc.Arbitrary<Value> {
  return fc.integer({ min: 1, max: one }).map((drawn) => (drawn === one ? rare : usual));
}

const sent: fc.Arbitrary<Sent> = fc.record({
  claims: fc.array(claim, { minLength: 1, maxLength: 3 }),
  isPermitted: seldom(true, false, 10),
  to: fc.constantFrom<ProcessNumber>(0, 1),
  isTwice: seldom(false, true, 5),
  copies: seldom(1, CROWD, 20),
});
const phase: fc.Arbitrary<Phase> = fc.array(fc.array(sent, { minLength: 1, maxLength: MOST }), {
  minLength: 1,
  maxLength: MOST - 1,
});
const disturbances: fc.Arbitrary<Disturbance[]> = fc
  .shuffledSubarray([...KINDS], { minLength: KINDS.length })
  .chain((kinds) =>
    fc.tuple(
      ...kinds.map((kind) =>
        fc.record({
          kind: fc.constant(kind),
          after: fc.integer({ min: 0, max: SEQUENCES }),
          isOfLeader: seldom(true, false, 4),
          times: fc.integer({ min: 1, max: 8 }),
          isOvernight: fc.boolean(),
        }),
      ),
    ),
  );

/** A round in which everything happens that may. */
export const round: fc.Arbitrary<Round> = fc.record({
  disturbances,
  sequences: fc.array(fc.array(phase, { minLength: KINDS.length, maxLength: KINDS.length }), {
    minLength: Math.floor(SEQUENCES / 2),
    maxLength: SEQUENCES,
  }),
});
