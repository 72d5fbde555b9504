import type { JsonObject, StoredProof } from '@countersign/protocol';
import type { Effect, IntentEvent, IntentState, PlannedProof } from '../../src/money/intent.js';
import { ACCEPTED } from '../../src/money/intent.js';
import { step } from '../../src/money/machine.js';
import type { Plan } from '../../src/money/plan/plan.js';

type Version = Extract<Effect, { type: 'version' }>;

/** An intent and all that has happened to it. */
export interface Run {
  readonly plan: Plan;
  readonly state: IntentState;
  /** As the record has them. */
  readonly proofs: readonly StoredProof[];
  /** The versions that steps have made, by the letters of `lettersOf`. */
  readonly history: readonly string[];
  /** Everything in its order: versions by their letters, other effects and events in words. */
  readonly log: readonly string[];
  readonly versions: readonly Version[];
}

export function begin(plan: Plan): Run {
  const created = plan.isForward
    ? stored({ by: 'system', custom: { status: 'created' }, isBare: true })
    : posted({ status: 'created' });
  const pending = stored({ by: 'system', custom: { status: 'pending' } });
  return { plan, state: ACCEPTED, proofs: [created, pending, pending], history: [], log: [], versions: [] };
}

/** The event has its proof, if clients or bridges make one, and the step follows. */
export function happen(run: Run, event: IntentEvent): Run & { readonly effects: readonly Effect[] } {
  const custom = proofOf(event);
  const { state, effects } = step(run.state, event);
  const versions = effects.filter((effect) => effect.type === 'version');
  const said = custom === undefined ? [] : [posted(custom)];
  const made = versions.flatMap(({ proofs }) => proofs.map(stored));
  return {
    plan: run.plan,
    state,
    effects,
    proofs: [...run.proofs, ...said, ...made],
    history: [...run.history, ...versions.map(lettersOf)],
    log: [...run.log, wordsOf(run.plan, event), ...effects.map(inLog)],
    versions: [...run.versions, ...versions],
  };
}

/** A proof that has no step: whatever a client likes to say. */
export function say(run: Run, custom: JsonObject): Run {
  return { ...run, proofs: [...run.proofs, posted(custom)] };
}

function proofOf(event: IntentEvent): JsonObject | undefined {
  if (event.type === 'report') return { handle: event.part, status: event.status };
  return event.type === 'decided' ? { action: event.action } : undefined;
}

function wordsOf({ parts }: Plan, event: IntentEvent): string {
  if (event.type !== 'report' && event.type !== 'gave-up') return event.type;
  const part = parts.findIndex(({ handle }) => handle === event.part);
  return event.type === 'report' ? `report ${part} ${event.status}` : `gave-up ${part}`;
}

function inLog(effect: Effect): string {
  switch (effect.type) {
    case 'version':
      return lettersOf(effect);
    case 'move':
      return effect.move;
    case 'call':
      return `${effect.verb} ${effect.part}`;
    case 'notify':
      return `notify ${effect.bridge}`;
    case 'forward':
      return 'forward';
  }
}

/** A letter for each proof of a version; `~` when it has none. */
export function lettersOf({ proofs }: Version): string {
  return proofs.map(letterOf).join('') || '~';
}

const SYSTEM: Readonly<Record<string, string>> = {
  resolved: 'R',
  prepared: 'P',
  completed: 'C',
  failed: 'F',
  aborted: 'A',
  rejected: 'J',
  error: 'E',
};
const CORE: Readonly<Record<string, string>> = { prepared: 'c', committed: 'k', aborted: 'a' };

function letterOf({ by, custom: { status, detail } }: PlannedProof): string {
  if (by === 'core') return CORE[String(status)] ?? '?';
  if (status === 'committed') return detail === 'cleared' ? 'K' : 'W';
  return SYSTEM[String(status)] ?? '?';
}

function stored({ by, custom, isBare }: PlannedProof): StoredProof {
  const proof = { custom, digest: '', method: 'ed25519-v2' as const, public: by, result: '' };
  return isBare ? proof : { ...proof, origin: 'key-pair', signer: by };
}

function posted(custom: JsonObject): StoredProof {
  return { custom, digest: '', method: 'ed25519-v2', public: 'bank', result: '', origin: 'key-pair', signer: 'bank' };
}
