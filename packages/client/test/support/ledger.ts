import { randomUUID } from 'node:crypto';
import {
  type ConnectOptions,
  connect,
  fromSeed,
  type Ledger,
  newSeed,
  type Schemas,
  type Signer,
  systemKeyOf,
} from '../../src/index.js';

/** A ledger of one test, and the one who made it. */
export interface TestLedger {
  readonly handle: string;
  readonly signer: Signer;
  readonly systemKey: string;
  readonly ledger: Ledger;
  /** Another client of it. */
  connect(options?: Partial<ConnectOptions>): Ledger;
}

/** Everyone may do everything. */
export const OPEN: NonNullable<Schemas['ledger-data']['access']> = [{ action: 'any', record: 'any' }];

/** Makes a ledger by the client itself. */
export async function makeLedger(
  server: string,
  data: Partial<Schemas['ledger-data']> = {},
  options: Partial<ConnectOptions> = {},
): Promise<TestLedger> {
  const signer = await fromSeed(newSeed());
  const handle = `ledger-${randomUUID()}`;
  const record = await connect({ server, signer, ...options }).ledgers.create({ handle, access: OPEN, ...data });
  const systemKey = systemKeyOf(record);
  const make = (more: Partial<ConnectOptions> = {}) =>
    connect({ server, ledger: handle, signer, systemKey, attempts: 1, ...options, ...more });
  return { handle, signer, systemKey, ledger: make(), connect: make };
}
