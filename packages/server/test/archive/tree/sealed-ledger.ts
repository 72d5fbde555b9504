import type { MoneyScene } from '../../money/scene.js';
import { eventually } from '../../support/eventually.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { everyKind, transfer } from '../every-kind.js';
import { exported, withPool } from '../support.js';
import { systemKey } from './draft.js';

/** A ledger of all kinds with its log, and what others have kept of that. */
export interface SealedLedger {
  readonly server: RunningServer;
  readonly scene: MoneyScene;
  readonly handle: string;
  readonly key: Awaited<ReturnType<typeof systemKey>>;
  /** Checkpoints as they were published meanwhile, oldest first, and their sizes. */
  readonly kept: readonly { readonly name: string; readonly text: string; readonly size: number }[];
  readonly text: string;
}

let made: Promise<SealedLedger> | undefined;

/** A ledger that the files of this process share: who alters its rows puts them back. */
export function sealedLedger(): Promise<SealedLedger> {
  made ??= makeSealed();
  return made;
}

/** Fills a ledger, and keeps the checkpoints that it shows on the way. */
async function makeSealed(): Promise<SealedLedger> {
  const server = await startServer();
  const kept: { name: string; text: string; size: number }[] = [];
  const keep = () =>
    withPool(server, async (pool) => {
      const { rows } = await pool.query<{ checkpoint: string; size: number }>(
        `select checkpoint, size::int as size from log where checkpoint is not null and size > $1`,
        [kept.at(-1)?.size ?? 0],
      );
      for (const { checkpoint: text, size } of rows) kept.push({ name: `the checkpoint of ${size}`, text, size });
    });
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      await keep();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const scene = await everyKind(server.url);
  for (let at = 0; at < 10; at += 1) await scene.done([transfer('alice', 'bob', 1)]);
  isDone = true;
  await watching;
  const handle = scene.client.ledger!;
  const text = await eventually(async () => {
    const made = await exported(server, handle);
    if (/^\{"line":"change"(?!.*"leaf":\{[^}]*\}\}$).*$/m.test(made)) throw new Error('a change has no leaf yet');
    return made;
  });
  await keep();
  return { server, scene, handle, key: await systemKey(server, handle), kept, text };
}
