import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeBase64 } from '@countersign/protocol';
import { checkProofFile, commitmentOf, entryOf, formatVkey, LogError, noteKey } from '@countersign/protocol/log';
import { expect, Surprise } from './surprise.mjs';

/** Milliseconds after which a change that is not sealed yet is a surprise. */
const PATIENCE = 10_000;

/**
 * Checks that a change is in the ledger's log, with nothing but the record, the ledger's key and the proof file. With
 * `TOUR_FOLDER` set, it keeps what other programs need for the same.
 *
 * @param record as the ledger answered when it stored the change
 * @param place its `ledger` (luid), `kind`, and the number and action of the `change`
 */
export async function checkLog(client, path, record, { ledger, kind, change, action }, system) {
  const { data } = await untilSealed(client, path);
  const salt = decodeBase64(data.salt);
  const text = JSON.stringify(record);
  const entry = entryOf(commitmentOf({ salt, ledger, kind, luid: record.luid, change, action, text }));
  const key = noteKey(data.origin, 'note', decodeBase64(system));
  const policy = { logs: [key], witnesses: new Map(), groups: new Map(), quorum: undefined };
  try {
    const { index, checkpoint } = checkProofFile(data.proof, entry, policy);
    expect(data.origin.endsWith(ledger.slice(1)), 'the log is that of another ledger');
    await keep({ proof: data.proof, entry: Buffer.from(entry).toString('base64'), vkey: formatVkey(key) });
    return { index, size: checkpoint.size, origin: data.origin };
  } catch (error) {
    if (error instanceof LogError) throw new Surprise(`the change is not in the log: ${error.message}`);
    throw error;
  }
}

async function untilSealed(client, path) {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await client.call(200, 'GET', path);
    } catch (error) {
      if (!(error instanceof Surprise) || performance.now() > until) throw error;
      await pause(200);
    }
  }
}

async function keep(files) {
  const folder = process.env.TOUR_FOLDER;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
