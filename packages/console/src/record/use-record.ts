import { AnswerError, type Signed } from '@countersign/client';
import { isObject, readJson } from '@countersign/protocol';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type KindDescription, pathOf, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { KnownLedger } from '../session/open-ledger.js';

/** A record as it was answered. */
export interface ShownRecord {
  readonly record: Signed;
  /** Why the client refused the answer; undefined for one that it took. */
  readonly fault: AnswerError | undefined;
}

/** Which record is asked for. */
export interface RecordAsked {
  readonly kind: KindDescription;
  readonly id: string;
  readonly parent: string | undefined;
  /** The number of an earlier version; the record as it is now unless given. */
  readonly change: number | undefined;
}

/** One record, or a version of it. What does not verify is given all the same, with its fault, to be shown as what it is. */
export function useRecord(asked: RecordAsked) {
  return useQuery(recordOf(useLedger(), asked));
}

export function recordOf(ledger: KnownLedger, asked: RecordAsked) {
  const { kind, parent, id, change } = asked;
  return queryOptions({
    queryKey: [...scopeOf(ledger), 'record', kind.record, parent, id, change],
    queryFn: () => readRecord(ledger, asked),
  });
}

async function readRecord({ client, answers, server }: KnownLedger, asked: RecordAsked): Promise<ShownRecord> {
  const { kind, id, parent, change } = asked;
  const records = client.kind(recordName(kind), parent);
  const ids = kind.item.includes('{id}') ? [id] : [];
  try {
    const record = change === undefined ? await records.get(...ids) : await records.change(...ids, change);
    return { record, fault: undefined };
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    const path = pathOf(kind, id, parent) + (change === undefined ? '' : `/changes/${change}`);
    const record = parseShownRecord(await answers.find(server + path));
    if (record === undefined) throw error;
    return { record, fault: error };
  }
}

function parseShownRecord(answer: string | undefined): Signed | undefined {
  try {
    const value = readJson(answer ?? '') as Signed;
    const isRecord = isObject(value as never) && isObject(value.data as never) && isObject(value.meta as never);
    return isRecord ? value : undefined;
  } catch {
    return undefined;
  }
}
