import { type Ledger, type Schemas, systemKeyOf } from '@countersign/client';
import type { JsonObject } from '@countersign/protocol';
import { findTarget, LOCAL_SERVER } from '../../connect.js';
import type { Invocation } from '../../description/invocation.js';
import { writeContext } from '../../home/contexts.js';
import { serverUrl } from '../../wire/exchange.js';

type LedgerRecord = Schemas['ledger'];

/**
 * Makes a ledger, signed by the key of the client.
 *
 * @param server a client outside of ledgers
 */
export function makeLedger(server: Ledger, data: JsonObject): Promise<LedgerRecord> {
  return server.ledgers.create(data as Parameters<typeof server.ledgers.create>[0]);
}

/**
 * Makes a ledger the one that commands are about, and notes the key that it signs with.
 *
 * @returns that key
 */
export async function selectLedger(invocation: Invocation, record: LedgerRecord, signer?: string): Promise<string> {
  const { name, server = LOCAL_SERVER } = await findTarget(invocation);
  const system = systemKeyOf(record);
  await writeContext(invocation.home, name, {
    server: serverUrl(server).href,
    ledger: record.data.handle,
    system,
    signer,
  });
  return system;
}
