import { AnswerError, type ConnectOptions, connect, type Ledger, type Signed, systemKeyOf } from '@countersign/client';
import { isObject, portable, readJson } from '@countersign/protocol';
import { Answers } from './answers.js';
import type { Identity } from './identity.js';
import { findPin, holdToPins, OtherLedger, type Pin, PinBroken } from './pins.js';
import { ownServer } from './servers.js';

/** Milliseconds for which a page waits where the server says when to come again, as the command does. */
const LONGEST_TOLD_WAIT = 10_000;

/** A ledger of which this browser knows the key: what it answers is held to that. */
export interface KnownLedger {
  readonly server: string;
  /** As the address names it. */
  readonly name: string;
  readonly pin: Pin;
  readonly client: Ledger;
  readonly identity: Identity;
  readonly answers: Answers;
}

/** A ledger that is looked at: its record is verified, and its key is the one that was seen before. */
export interface OpenLedger extends KnownLedger {
  readonly record: Signed;
  /** Whether this browser came here for the first time. */
  readonly isNew: boolean;
}

/** A ledger that is about to be opened. Nothing was asked of it yet. */
export type NamedLedger = Omit<KnownLedger, 'pin'> & { readonly pin: Pin | undefined };

export function nameLedger(server: string, name: string, identity: Identity): NamedLedger {
  const pin = findPin(server, name);
  const answers = new Answers();
  const client = connect({ ...optionsOf(server, identity, answers), ledger: name, systemKey: pin?.key });
  return { server, name, pin, client, identity, answers };
}

/**
 * Reads the record of a ledger, and holds its key to what this browser has seen.
 *
 * @throws PinBroken, OtherLedger, and what the client throws
 */
export async function openLedger(named: NamedLedger): Promise<OpenLedger> {
  const { server, name, pin, client, answers } = named;
  let record: Signed;
  try {
    record = (await client.record.get()) as unknown as Signed;
  } catch (error) {
    const isOtherKey = pin !== undefined && error instanceof AnswerError && error.fault === 'key';
    if (isOtherKey) throw new PinBroken(pin, await shownBy(answers, `${server}/ledger`));
    throw error;
  }
  const { luid } = record;
  const handle = String(record.data.handle);
  const key = client.systemKey ?? systemKeyOf(record as never);
  if (name !== luid && name !== handle) throw new OtherLedger(name, handle);
  const { kept, isNew } = holdToPins({ server, key, luid, handle });
  return { ...named, pin: kept, record, isNew };
}

/** What every client of the page is made with. */
export function optionsOf(server: string, identity: Identity, answers: Answers): ConnectOptions {
  return {
    server,
    fetch: answers.fetch,
    attempts: 3,
    // Whoever looks at a page would rather know why than wait longer.
    mostWait: LONGEST_TOLD_WAIT,
    // Pages without TLS have no WebCrypto, except those of this machine.
    ...(globalThis.crypto?.subtle ? {} : { suite: portable }),
    ...tokenOf(server, identity),
  };
}

function tokenOf(server: string, identity: Identity): Pick<ConnectOptions, 'signer' | 'token'> {
  switch (identity.kind) {
    case 'key':
      // Another server could show the token to this one: one that is bound names the server that it is for.
      return { signer: identity.signer, ...(server === ownServer() ? {} : { token: { isBound: true } }) };
    case 'token':
      return { token: () => identity.token };
    case 'client':
      return { token: { clientId: identity.clientId, clientSecret: identity.clientSecret } };
    case 'nobody':
      return { token: false };
  }
}

/** The key and the luid that an answer shows, which nothing verifies. */
async function shownBy(answers: Answers, url: string): Promise<PinBroken['shown']> {
  try {
    const value = readJson((await answers.find(url)) ?? '') as unknown as Signed;
    return isObject(value as never) ? { key: systemKeyOf(value as never), luid: value.luid } : NOTHING;
  } catch {
    return NOTHING;
  }
}

const NOTHING = { key: undefined, luid: undefined };
