import { AnswerError, type Signed } from '@countersign/client';
import { isObject, readJson } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { type KindDescription, pathOf, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { OpenLedger } from '../session/open-ledger.js';

/** A record as it was answered. */
export interface ShownRecord {
  readonly record: Signed;
  /** Why the client refused the answer; undefined for one that it took. */
  readonly fault: AnswerError | undefined;
}

/** One record. What does not verify is given all the same, with its fault, to be shown as what it is. */
export function useRecord(kind: KindDescription, id: string, parent: string | undefined) {
  const ledger = useLedger();
  return useQuery({
    queryKey: [...scopeOf(ledger), 'record', kind.record, parent, id],
    queryFn: () => readRecord(ledger, kind, id, parent),
  });
}

async function readRecord(
  { client, answers, server }: OpenLedger,
  kind: KindDescription,
  id: string,
  parent: string | undefined,
): Promise<ShownRecord> {
  try {
    const records = client.kind(recordName(kind), parent);
    const isOnly = !kind.item.includes('{id}');
    return { record: await (isOnly ? records.get() : records.get(id)), fault: undefined };
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    const record = parseRecord(await answers.find(server + pathOf(kind, id, parent)));
    if (record === undefined) throw error;
    return { record, fault: error };
  }
}

function parseRecord(answer: string | undefined): Signed | undefined {
  try {
    const value = readJson(answer ?? '') as Signed;
    const isRecord = isObject(value as never) && isObject(value.data as never) && isObject(value.meta as never);
    return isRecord ? value : undefined;
  } catch {
    return undefined;
  }
}
