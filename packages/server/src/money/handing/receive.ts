import { LedgerError } from '@countersign/protocol';
import type { FastifyBaseLogger } from 'fastify';
import { Overloaded } from '../../base/gather.js';
import type { Service } from '../../ledgers/service.js';
import { OutOfDate, openSession } from '../../ledgers/session.js';
import { stepsOfText } from '../../metering/task.js';
import { Garbled } from '../../siblings/frames.js';
import { listenToSiblings } from '../../siblings/listen.js';
import { pathOf } from '../../siblings/siblings.js';
import type { Outcome } from '../../store/committer/write.js';
import { isUnavailable } from '../../store/unavailable.js';
import type { Engine } from '../engine.js';
import { NotHome } from './handing.js';
import { HeldBytes } from './held-bytes.js';
import { type Answered, formatAnswer, parseHead, parseIntent } from './message.js';

/** What handed intents are decided on with. */
export interface ReceptionMeans {
  readonly service: Service;
  readonly engine: Engine;
  readonly logger: FastifyBaseLogger;
}

/**
 * Takes new intents that other processes have checked, as far as it is the home of their ledgers. Each is metered as a
 * request of its ledger is; what the intent says is trusted, as it comes from a process of the same deployment.
 *
 * @param folder in which the processes of this machine meet; without one it takes none
 * @param holder name of this process
 * @returns takes no more, and answers those that it has taken
 */
export async function receiveIntents(
  means: ReceptionMeans,
  folder: string | undefined,
  holder: string,
): Promise<() => Promise<void>> {
  const { logger } = means;
  const path = folder === undefined ? undefined : pathOf(folder, holder);
  if (path === undefined) return NOTHING;
  let isClosed = false;
  const held = new HeldBytes();
  const answer = async (question: string, isGone: () => boolean) =>
    formatAnswer(isClosed ? { elsewhere: true } : await decide({ ...means, held }, question, isGone));
  const broken = (err: unknown) => logger.error({ err }, 'a process of this machine was not understood');
  try {
    const listener = await listenToSiblings(path, answer, broken);
    return () => {
      isClosed = true;
      return listener.stop();
    };
  } catch (err) {
    logger.warn({ err }, 'intents cannot be handed to this process');
    return NOTHING;
  }
}

const NOTHING = async () => {};

interface DecisionMeans extends ReceptionMeans {
  readonly held: HeldBytes;
}

async function decide(means: DecisionMeans, text: string, isGone: () => boolean): Promise<Answered> {
  try {
    return { outcome: await create(means, text, isGone) };
  } catch (error) {
    if (error instanceof Garbled) throw error;
    if (error instanceof OutOfDate) return { outcome: { result: 'stale', version: error.version } };
    if (error instanceof NotHome) return { elsewhere: true };
    if (error instanceof Overloaded) return { overloaded: error.message };
    if (error instanceof LedgerError) return { refusal: error };
    if (isUnavailable(error)) return { lost: true };
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

async function create(means: DecisionMeans, text: string, isGone: () => boolean): Promise<Outcome> {
  const unparsed = parseHead(text);
  const giveBack = means.held.take(unparsed.ledger, text.length);
  // Nothing of it was looked at: the first process keeps it for the home to find.
  if (!giveBack) throw new NotHome();
  try {
    return await createHeld(means, unparsed, stepsOfText(text), isGone);
  } finally {
    giveBack();
  }
}

async function createHeld(
  { service, engine }: DecisionMeans,
  unparsed: ReturnType<typeof parseHead>,
  steps: number,
  isGone: () => boolean,
): Promise<Outcome> {
  const { ledgers, runtime, scheduler, requestTimeout } = service;
  const late = runtime.now() + requestTimeout;
  const held = await ledgers.resolve(unparsed.ledger);
  // It is decided on one state by both: the checks of the first process count here.
  const ledger = held.version < unparsed.version ? await ledgers.renew(held, unparsed.version) : held;
  if (ledger.version !== unparsed.version) return { result: 'stale', version: ledger.version };
  const task = scheduler.task(ledger.id, () => isGone() || runtime.now() > late);
  await task.turn(steps);
  const { record, write, strangers } = parseIntent(ledger, unparsed);
  const session = openSession({ ...service, task }, ledger);
  for (const key of strangers) session.assumedUnregistered.add(key);
  const outcome = await engine.take({ session, record, write });
  // One of them may be registered now.
  if (outcome.result === 'stale') for (const key of session.assumedUnregistered) session.signers.delete(key);
  return outcome;
}
