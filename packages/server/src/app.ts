import type { FastifyInstance } from 'fastify';
import type { Background } from './background/background.js';
import { nameProcess } from './background/process-name.js';
import { deliveryLimits } from './deliveries/delivery-limits.js';
import { createDeliveryWorkers, deliveryHints, endSoon } from './deliveries/workers.js';
import { listenToSiblings } from './http/relay/listen.js';
import { createSiblings } from './http/relay/siblings.js';
import { requestLimits } from './http/request-limits.js';
import { createServer } from './http/server.js';
import { versionKeyOf } from './integrity/mac.js';
import { sweepJournals } from './journal/sweep.js';
import type { Keyring } from './keys/keyring.js';
import type { Service } from './ledgers/service.js';
import { createMetrics, type Metrics, tellBuild } from './metrics.js';
import { PROCESS_INTENTS, processIntents } from './money/worker.js';
import { createOutbound } from './outbound/client.js';
import { createHostNames } from './outbound/names.js';
import { createTrials } from './outbound/trials.js';
import { type ServerOptions, type SettledOptions, withDefaults } from './server-options.js';
import { createService } from './service.js';
import { type Signing, startSigning } from './signing/signing.js';
import { startWork } from './start-work.js';
import { openDatabase } from './store/database.js';
import { watchDatabase } from './store/metrics.js';

export type { ServerOptions };

/** A server with its connection to the database. */
export interface Server {
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly metrics: Metrics;
  /** Closes once clients have left (`Connections.leave`), which takes seconds where one keeps an idle connection. */
  leave(): Promise<void>;
  /** Finishes what is under way, then closes the connections to the database. */
  close(): Promise<void>;
}

/** Wires store, services and HTTP, and migrates the database to this release's schema. The caller makes it listen. */
export async function openServer(given: ServerOptions): Promise<Server> {
  const options = withDefaults(given);
  const { worker, runtime } = options;
  const metrics = createMetrics(worker);
  tellBuild(metrics, options.build);
  const holder = nameProcess(worker, runtime);
  const deliveries = { ...deliveryLimits, ...options.deliveries };
  const { outbound, calls, trials } = createClients(options, deliveries.slots);
  const siblings = createSiblings(options.siblings, metrics, () => performance.now());
  const opened: { close(): unknown }[] = [outbound, calls, trials, siblings];
  const letGo = () => Promise.all(opened.map((one) => one.close()));
  try {
    const before: WentBack[] = [];
    let wentBack: (...of: WentBack) => void = (...of) => void before.push(of);
    const watched = databaseWatchOf(options, metrics, (...of) => wentBack(...of));
    const database = await openDatabase({ ...options, holder, ...watched });
    opened.push(database);
    const signing = await startSigningThread(options, database.keys);
    opened.push(signing);
    const { pools, epochs } = database;
    watchDatabase(metrics.registry, { ...database, folder: options.databaseFolder });
    let background: Background | undefined;
    const hint = (worker: string) => () => background?.hint(worker);
    const { deliveriesQueued, retriesQueued, goOn } = deliveryHints(hint);
    const effectEnded = endSoon(pools.others, runtime.now, goOn);
    const hints = { deliveriesQueued, retriesQueued, effectEnded, intentsAccepted: hint(PROCESS_INTENTS) };
    const { service, money } = createService(options, {
      ...{ metrics, database, outbound, signing, siblings, holder, ...hints },
    });
    const stopReceiving = await listenToSiblings(service, options.logger, options.siblings, holder);
    opened.push({ close: stopReceiving });
    const bounds = { request: requestLimits.arrival, ...requestLimits.clients, ...options.connections };
    const { app, connections } = createServer(service, options.logger, metrics, bounds);
    const outwards = createDeliveryWorkers(service, {
      ...{ pools, outbound: calls, metrics, logger: options.logger, bounds: deliveries, deliveriesQueued, goOn },
    });
    const work = startWork(
      { ...options, holder, service, metrics },
      [
        ...outwards,
        processIntents({ service, holder, ...money, failed: logPutOff(options) }),
        {
          ...sweepJournals(service.store.journal, journalDaysOf(options), service.runtime.now),
          isPaused: () => service.readOnly() !== undefined,
        },
      ],
      pools,
      epochs.verify,
    );
    [background, wentBack] = [work, service.logs.wentBack];
    database.drain.add(work);
    database.drain.add({ isBusy: () => false, turned: (is) => void (is && money.engine.leave()) });
    service.logs.start();
    for (const of of before) wentBack(...of);
    const close = once(async () => {
      await Promise.all([app.close(), work.stop()]);
      await stopReceiving();
      await money.engine.leave();
      await Promise.all([service.logs.stop(), service.journal.stop()]);
      await letGo();
      await service.tracing.stop();
    });
    return {
      app,
      service,
      metrics,
      close,
      async leave() {
        await Promise.all([connections.leave(), work.stop()]);
        await close();
      },
    };
  } catch (error) {
    await letGo();
    throw error;
  }
}

/** The clients for calls of services outside: for requests, and for deliveries; and the trials of hosts that they share. */
function createClients(
  { outboundCa: ca, guard, deliveryAllowPrivate: allowPrivate = false, names, logger }: ServerOptions,
  slots: { readonly process: number; readonly ledger: number },
) {
  const failed = (err: Error) => logger.error({ err }, 'the thread that tries hosts has ended');
  const trials = createTrials({ ca, failed });
  const out = { allowPrivate, names: createHostNames(names), ca, guard, trials };
  // Slots bound the connections: a slow receiver takes none that its ledger has for another one of the origin.
  const calls = createOutbound({ ...out, calls: slots, connections: slots.ledger });
  return { outbound: createOutbound(out), calls, trials };
}

/** Luids of the ledgers that have gone back in time, unless all have. */
type WentBack = [ledgers?: readonly string[]];

/** What the database is checked by, and who is told of what happens to it. */
function databaseWatchOf(options: SettledOptions, metrics: Metrics, wentBack: (...of: WentBack) => void) {
  return {
    // A clock that was given is compared where that is asked for.
    now: options.compareClock ? options.runtime.now : undefined,
    quotaExceeded: metrics.quotaExceeded,
    epochBegan(epoch: number, ...of: WentBack) {
      metrics.epochBegan(epoch);
      wentBack(...of);
    },
  };
}

/** What was written before journals were switched off is kept as long as usual. */
function journalDaysOf({ journalDays = DAYS }: ServerOptions): number {
  return journalDays === 'off' ? DAYS : journalDays;
}

const DAYS = 90;

function logPutOff({ logger }: ServerOptions): Parameters<typeof processIntents>[0]['failed'] {
  return (failure) => logger.error(failure, 'an intent under way could not be processed, and is put off');
}

/** Does the work once, whoever asks. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** Starts the signing thread. The process cannot do without it: the error that its end throws, which nothing catches, ends it. */
function startSigningThread({ runtime, logger }: SettledOptions, { codes }: Keyring): Promise<Signing> {
  return startSigning({
    versionKey: versionKeyOf(codes),
    random: runtime.random,
    ended(err) {
      logger.fatal({ err }, 'the signing thread has ended: the process ends');
      throw err;
    },
  });
}
