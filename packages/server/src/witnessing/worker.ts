import type { Suite } from '@countersign/protocol';
import { formatVkey, isQuorumMet, type Policy } from '@countersign/protocol/log';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { backgroundLimits } from '../background/background-limits.js';
import type { BackgroundWorker } from '../background/worker.js';
import type { BackOff } from '../base/back-off.js';
import { limitRate } from '../base/rate-limit.js';
import { checkpointKey } from '../log/checkpoint.js';
import type { Logs } from '../log/log.js';
import { LogStopped, type ShownCheckpoint } from '../log/publish.js';
import { type Outbound, OutboundFailure } from '../outbound/outbound.js';
import {
  DUE_WITNESSING,
  endWitnessing,
  keepCosignature,
  keepCosigned,
  readWitnesses,
  type WitnessRow,
} from '../store/log/witnessing.js';
import { askWitness, type WitnessAnswered } from './ask.js';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
import { seekEvidence } from './evidence.js';
import { witnessLimits } from './witness-limits.js';

/** The witnesses of a deployment. */
export interface Witnesses {
  /** Each of its witnesses has an address. */
  readonly policy: Policy;
  /** Milliseconds from one round to the next for one log. */
  readonly interval: number;
  /** After which a witness is asked again for a log that it has refused; `limits` unless given. */
  readonly refused?: BackOff;
}

export interface WitnessingDeps {
  readonly pool: pg.Pool;
  readonly logs: Pick<Logs, 'newest' | 'consistency' | 'stopLog' | 'asked'>;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly suite: Suite;
  /** The public key of the `system` signer of a ledger. @param luid its own */
  readonly publicKeyOf: (luid: string) => Promise<string>;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

/** A witness as this process knows it. */
interface Witness {
  /** In the policy. */
  readonly name: string;
  readonly vkey: string;
  readonly asked: Parameters<typeof askWitness>[0];
  readonly breaker: CircuitBreaker;
}

/** A round that asks the witnesses of one log about one tree. */
interface WitnessingRound {
  readonly ledger: number;
  readonly shown: ShownCheckpoint;
  readonly signal: AbortSignal;
  /** Lines of cosignatures, by the names of the witnesses in the policy. */
  readonly lines: Map<string, string>;
}

/**
 * Asks the witnesses to cosign the newest checkpoint of each log that has grown, and keeps what meets the policy
 * (interface/log-witnesses#the-witnesses-of-a-server). A witness that is down costs nothing but its cosignature.
 */
export function witnessLogs({ policy, interval, refused }: Witnesses, deps: WitnessingDeps): BackgroundWorker {
  const { pool, logs, clock, random } = deps;
  const witnesses = [...policy.witnesses].map(([name, { key, url = '' }]): Witness => {
    return { name, vkey: formatVkey(key), asked: { key, url }, breaker: createCircuitBreaker(clock, random, refused) };
  });
  const tell = createTeller(deps);

  const seeTo = async (round: WitnessingRound, witness: Witness, row: WitnessRow | undefined) => {
    const { ledger, shown, lines } = round;
    if (row && row.size > shown.size) return;
    let line = row?.size === shown.size ? row.cosignature : undefined;
    if (line === undefined) {
      const answered = await witness.breaker.ask(ledger, () => askOnce(deps, round, witness, row?.size ?? 0));
      if (!answered) return;
      tell(witness, shown, answered);
      if (answered.outcome !== 'cosigned') return;
      line = answered.line;
      await keepCosignature(pool, { ...shown, ledger }, { witness: witness.vkey, cosignature: line });
    }
    lines.set(witness.name, line);
  };

  return {
    name: 'witness-logs',
    due: DUE_WITNESSING,
    every: interval,
    rest: interval,
    takesTurns: true,
    timeout: 60_000,
    concurrency: witnessLimits.concurrency,
    each: 1,
    async run({ ledger }, signal) {
      const shown = await logs.newest(ledger).catch(unlessStopped);
      if (!shown) return;
      const rows = new Map((await readWitnesses(pool, ledger)).map((row) => [row.witness, row]));
      const round = { ledger, shown, signal, lines: new Map<string, string>() };
      let kept = Promise.resolve();
      const keep = () => {
        const note = shown.note + [...round.lines.values()].join('');
        if (!isQuorumMet(policy, round.lines.keys()) || round.lines.size === 0) return undefined;
        kept = kept.then(() => keepCosigned(pool, { ...shown, ledger }, note));
        return kept;
      };
      // What a quick witness has cosigned is shown while a slow one takes its time.
      const asked = witnesses.map((one) => seeTo(round, one, rows.get(one.vkey)).then(keep));
      const ended = await Promise.allSettled(asked);
      await kept;
      const broken = ended.find((one) => one.status === 'rejected');
      if (broken) throw broken.reason;
      if (round.lines.size === witnesses.length) await endWitnessing(pool, { ...shown, ledger });
    },
  };
}

/** Asks from what the witness is known to have, and once more from what it says it has. */
async function askOnce(
  deps: WitnessingDeps,
  round: WitnessingRound,
  { name, asked }: Witness,
  old: number,
): Promise<WitnessAnswered> {
  const { logs, outbound, suite } = deps;
  const { ledger, shown, signal } = round;
  const ask = async (old: number): Promise<WitnessAnswered> => {
    const proof = await logs.consistency(ledger, old, shown.size);
    return askWitness(asked, { ...shown, ledger, old, proof }, outbound, suite, signal);
  };
  try {
    const first = await ask(old);
    const answered = first.outcome === 'elsewhere' && first.size <= shown.size ? await ask(first.size) : first;
    if (answered.outcome !== 'contradicted' && answered.outcome !== 'elsewhere') return answered;
    return await judgeClaim(deps, round, { name, asked }, answered);
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: 'failed', why: error.message };
    throw error;
  }
}

/** A witness says that it has another tree. The log is stopped where it can show that. */
async function judgeClaim(
  deps: WitnessingDeps,
  { ledger, shown, signal }: WitnessingRound,
  { name, asked }: Pick<Witness, 'name' | 'asked'>,
  answered: WitnessAnswered,
): Promise<WitnessAnswered> {
  const { logs, publicKeyOf } = deps;
  const newest = () => logs.newest(ledger).catch(unlessStopped);
  if (answered.outcome === 'elsewhere') {
    const now = await newest();
    // Another process has shown it more meanwhile.
    if (!now || now.origin !== shown.origin || now.size >= answered.size) return answered;
  }
  const key = checkpointKey(shown.origin, { public: await publicKeyOf(shown.luid) });
  const evidence = await seekEvidence({ ledger, name, asked, key, newest }, deps, signal);
  if ('why' in evidence) return { outcome: 'invalid', why: evidence.why };
  await logs.stopLog(ledger, shown, evidence.stops);
  return { outcome: 'contradicted' };
}

/** Counts what witnesses answer, and writes what went wrong to the log, so many lines of it. */
function createTeller({ logs, logger, clock }: WitnessingDeps) {
  const pass = limitRate(backgroundLimits.lines, clock);
  return ({ name }: Witness, { luid, size }: ShownCheckpoint, answered: WitnessAnswered) => {
    if (answered.outcome === 'elsewhere') return;
    logs.asked(name, answered.outcome);
    if (!('why' in answered)) return;
    const passed = pass();
    if (!passed) return;
    const untold = passed.refused > 0 ? { untold: passed.refused } : {};
    const told = { witness: name, ledger: luid, size, outcome: answered.outcome, why: answered.why, ...untold };
    logger.warn(told, 'a witness did not cosign');
  };
}

function unlessStopped(error: unknown): undefined {
  if (!(error instanceof LogStopped)) throw error;
}
