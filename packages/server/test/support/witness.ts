import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBase64, portable } from '@countersign/protocol';
import { formatVkey, type NoteKey, noteKey } from '@countersign/protocol/log';
import pg from 'pg';
import { createWitness } from '../../../cli/src/witness/server.js';
import { openStates } from '../../../cli/src/witness/states.js';
import { testWitnessKey } from '../../../cli/test/support/tree.js';
import { eventually } from './eventually.js';

/** A witness on a port of its own. */
export interface RunningWitness {
  readonly url: string;
  readonly key: NoteKey;
  readonly vkey: string;
  /** Status and subject of each request. */
  readonly lines: readonly string[];
  /** Lets it know a log. */
  trust(key: NoteKey): void;
  stop(): Promise<void>;
}

/** Starts the witness of the command line. */
export async function startWitness(name: string): Promise<RunningWitness> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-witness-'));
  const { key, sign } = testWitnessKey(name);
  const logs: NoteKey[] = [];
  const lines: string[] = [];
  const states = await openStates(folder);
  const log = (line: string) => lines.push(line);
  const server = createWitness({ logs, key, sign, states, suite: portable, now: Date.now, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf(server.address()),
    key,
    vkey: formatVkey(key),
    lines,
    trust: (key) => logs.push(key),
    async stop() {
      server.closeAllConnections();
      server.close();
      await states.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts a server that stands where a witness should be. */
export async function startImpostor(answer: RequestListener) {
  const { key } = testWitnessKey('impostor.test');
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf(server.address()),
    key,
    vkey: formatVkey(key),
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function urlOf(address: unknown): string {
  return `http://127.0.0.1:${(address as AddressInfo).port}`;
}

/** A log as the database has it once all of a ledger is sealed. */
export interface SealedLog {
  readonly ledger: number;
  readonly origin: string;
  readonly size: number;
  readonly generation: number;
  readonly stopped: string | null;
  readonly predecessor: string | null;
  /** The key of its checkpoints. */
  readonly key: NoteKey;
}

/** Reads the log of a ledger. */
export async function readSealedLog(url: string, handle: string): Promise<SealedLog> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: ids } = await client.query('select id::int from ledger where handle = $1', [handle]);
    const [{ id }] = ids;
    const { rows } = await client.query(
      `select g.ledger_id::int as ledger, g.origin, g.size::int as size, g.generation, g.stopped, g.predecessor,
         (select count(*) from unsealed where ledger_id = $1)::int
           + (select count(*) from log_backfill where ledger_id = $1)::int as left
       from log g where g.ledger_id = $1`,
      [id],
    );
    const { rows: signers } = await client.query(
      `select v.body as system from version v join record r using (ledger_id, luid, change)
       where r.ledger_id = $1 and r.kind = 'signer' and r.handle = 'system'`,
      [id],
    );
    const [{ left, ...log }] = rows;
    const [{ system }] = signers;
    if (left > 0 && log.stopped === null) throw new Error(`${left} batches of ${handle} are not sealed.`);
    return { ...log, key: noteKey(log.origin, 'note', decodeBase64(JSON.parse(system).data.public)!) };
  } finally {
    await client.end();
  }
}

/** The log of a ledger, once all is sealed. */
export function sealedLog(url: string, handle: string): Promise<SealedLog> {
  return eventually(() => readSealedLog(url, handle));
}
