import {
  digest as digestOf,
  hash as hashOf,
  type Json,
  type JsonObject,
  luidId,
  luid as makeLuid,
  readJson,
  verifyProof,
} from '@countersign/protocol';
import { type ListItem, newListItem } from '../integrity/items.js';
import { makeStoredProof } from '../keys/countersigner.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { JournalRow } from '../store/journal/entries.js';

/** The prefix of luids of entries. */
const LUID_PREFIX = 'req';

/** What the rules call entries. */
export const REQUEST = 'request';

/** The luid of an entry, given its handle. */
export function entryLuid(handle: string): string {
  return `$${LUID_PREFIX}.${handle}`;
}

/** What an entry says of a request, beside what it is given when it is made. */
export interface Journaled {
  /** What was asked for, as rules name it. */
  readonly record: string;
  readonly action: string;
  /** Handle of the signer who asked; absent for any other caller. */
  readonly signer?: string | undefined;
  /** Whether the request has stored something in the ledger. */
  readonly isStored: boolean;
  readonly params: JsonObject;
  readonly result: { readonly status: number; readonly moment: string } & JsonObject;
}

/**
 * The sort of an entry. Requests that store nothing can be sent without end, so fewer entries of these are kept; and those of
 * strangers take no room from those of signers.
 */
export function sortOf({ signer, isStored, result }: Journaled): JournalRow['sort'] {
  if (isStored) return 0;
  if (result.status < 400) return 3;
  return signer === undefined ? 2 : 1;
}

/**
 * The entry of a request, signed by its ledger, as it is stored.
 *
 * @param dropped entries before this one that were left out
 */
export function makeEntry(
  { suite, runtime }: Pick<Service, 'suite' | 'runtime'>,
  ledger: Ledger,
  journaled: Journaled,
  dropped: number,
): JournalRow & { readonly dropped: number } {
  const { record, action, signer, params, result } = journaled;
  const { status, moment } = result;
  const handle = luidId(makeLuid(LUID_PREFIX, Math.floor(runtime.now() / 1000), runtime.random(11)));
  const source = signer === undefined ? null : `signer:${signer}`;
  const rest: JsonObject = { params, result, ...(dropped > 0 ? { dropped } : {}) };
  const hash = hashOf(entryData(ledger, { handle, record, action, source }, rest), suite);
  return {
    ...{ handle, moment, sort: sortOf(journaled), record, action, source, status: statusOfAnswer(status) },
    data: JSON.stringify(rest),
    result: ledger.system.stored(hash, { moment }).result,
    dropped,
  };
}

/**
 * An entry as it is served.
 *
 * @throws Corrupt when its row was changed in the database
 */
export function serveEntry(
  { suite, integrity }: Pick<Service, 'suite' | 'integrity'>,
  ledger: Ledger,
  row: EntryRow,
): ListItem {
  const { system } = ledger;
  const { handle, result } = row;
  const luid = entryLuid(handle);
  const rest = readJson(row.data) as JsonObject;
  const { status, moment } = rest.result as Journaled['result'];
  const data = entryData(ledger, row, rest);
  const hash = hashOf(data, suite);
  const custom = { moment };
  const proof = makeStoredProof(system, { custom, digest: digestOf(hash, custom, suite), result });
  if (!verifyProof(hash, proof, suite))
    integrity.refuse({ ledger: ledger.luid, luid, change: 1 }, 'is not the text that was stored');
  return newListItem({
    hash,
    data,
    luid,
    meta: { proofs: [proof], status: statusOfAnswer(status), moment },
  } as unknown as Json);
}

/** The columns that an entry is made of. */
export type EntryRow = Pick<JournalRow, 'handle' | 'record' | 'action' | 'source' | 'data' | 'result'>;

function entryData(
  { handle: ledger }: Pick<Ledger, 'handle'>,
  { handle, record, action, source }: Omit<EntryRow, 'data' | 'result'>,
  rest: JsonObject,
): JsonObject {
  return { handle, schema: 'rest', record, action, source, target: targetOf(ledger), ...rest };
}

/** What the requests of a ledger are for, as entries say it. @param ledger its handle */
export function targetOf(ledger: string): string {
  return `ledger:${ledger}`;
}

/** What became of a request that was answered with that HTTP status. */
function statusOfAnswer(status: number): 'completed' | 'rejected' | 'failed' {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'rejected' : 'completed';
}
