import { connect as connectClient, fromSeed, type Ledger } from '@countersign/client';
import type { Invocation } from './description/invocation.js';
import { type Context, readContexts } from './home/contexts.js';
import type { SigningKeyPair } from './home/encrypted-key.js';
import { KeyStore } from './home/key-store.js';
import { usage } from './terminal/failure.js';
import { ServerConnection } from './wire/connection.js';
import { isSameServer, serverUrl } from './wire/exchange.js';
import { ANONYMOUS, type CallerIdentity, identityOfKey } from './wire/identity.js';

/** The address that `countersign serve` and `npm start` listen at. */
export const LOCAL_SERVER = 'http://127.0.0.1:3000/v2';

/** Times that a request is sent, where no answer comes: a person waits for it. */
const REQUEST_ATTEMPTS = 3;

/** Milliseconds of `Retry-After` up to which the command waits. A longer one ends it at once with the reason. */
const LONGEST_TOLD_WAIT = 10_000;

/** What a call is about: flags and the environment come before the context. */
export interface CommandTarget extends Context {
  /** Name of the context. */
  readonly name: string;
}

/** Looks up which server, ledger and key a call means. */
export async function findTarget(invocation: Invocation): Promise<CommandTarget> {
  const { current, contexts } = await readContexts(invocation.home);
  const name = invocation.get('context') ?? current;
  const context = contexts[name];
  if (context === undefined && invocation.get('context') !== undefined) {
    throw usage(`There is no context '${name}'.`, '`countersign context list` lists them');
  }
  const chosen: Record<string, string> = { ...context };
  for (const member of ['server', 'ledger', 'signer']) {
    const given = invocation.get(member);
    if (given !== undefined) chosen[member] = given;
  }
  // What was noted of the ledger of the context holds for no other.
  const { server = LOCAL_SERVER } = chosen;
  if (chosen.ledger !== context?.ledger || !isSameServer(context?.server ?? LOCAL_SERVER, server)) delete chosen.system;
  return { ...chosen, name };
}

/** The server of a call, as nobody. */
export async function connectAnonymously(invocation: Invocation): Promise<ServerConnection> {
  const { server = LOCAL_SERVER, ledger } = await findTarget(invocation);
  return new ServerConnection(serverUrl(server), ledger, ANONYMOUS, invocation.surroundings.now);
}

/**
 * The server of a call, as the signer of the context.
 *
 * @param isSigned whether a key is needed; without one, a call goes out as nobody where no key is chosen
 */
export async function connectToServer(invocation: Invocation, isSigned = false): Promise<ServerConnection> {
  const { server = LOCAL_SERVER, ledger, signer } = await findTarget(invocation);
  const identity =
    signer === undefined || invocation.is('anonymous')
      ? anonymousIdentity(isSigned)
      : await openIdentity(invocation, signer);
  return new ServerConnection(serverUrl(server), ledger, identity, invocation.surroundings.now);
}

/** Opens a key of the store, and signs with it. */
export async function openIdentity(invocation: Invocation, name: string): Promise<CallerIdentity> {
  return identityOfKey(await openKey(invocation, name), name, invocation.surroundings.now);
}

/** Opens a key of the store. */
export async function openKey(invocation: Invocation, name: string): Promise<SigningKeyPair> {
  const message = `Password of the key ${name} (a file that COUNTERSIGN_PASSWORD_FILE names may hold it)`;
  return (
    await new KeyStore(invocation.home, invocation.surroundings.keyWork).open(name, (check) =>
      invocation.password({ message, check }),
    )
  ).pair;
}

/** A ledger as the client of this package's user sees it: what it answers is verified. */
export interface OpenLedger {
  readonly ledger: Ledger;
  readonly handle: string;
  readonly key: SigningKeyPair | undefined;
  readonly target: CommandTarget;
}

/**
 * The ledger of a call.
 *
 * @param isSigned whether a key is needed
 */
export async function openLedger(invocation: Invocation, isSigned = false): Promise<OpenLedger> {
  const target = await findTarget(invocation);
  const handle = requireLedger(target);
  const isNobody = target.signer === undefined || invocation.is('anonymous');
  if (isNobody && isSigned) anonymousIdentity(true);
  const key = isNobody ? undefined : await openKey(invocation, target.signer as string);
  return { ledger: await makeClient(target, key, handle, tellHint(invocation)), handle, key, target };
}

/** @throws Failure when no ledger is selected */
export function requireLedger({ ledger }: CommandTarget): string {
  if (ledger !== undefined) return ledger;
  throw usage('No ledger is selected.', '`countersign ledger select <handle>`, or give --ledger');
}

/** Warns of what a record that was stored does not do as it is (interface/errors#hints-on-what-was-stored). */
export function tellHint({ output }: Invocation): (hint: string) => void {
  return (hint) => output.warn(hint);
}

/**
 * A client of a ledger, or of the server outside of all.
 *
 * @param onHint is told the hints on what was stored
 * @param token instead of one that the key signs
 */
export async function makeClient(
  target: CommandTarget,
  key: SigningKeyPair | undefined,
  ledger: string | undefined,
  onHint?: (hint: string) => void,
  token?: () => string,
): Promise<Ledger> {
  return connectClient({
    server: serverUrl(target.server ?? LOCAL_SERVER).href,
    attempts: REQUEST_ATTEMPTS,
    mostWait: LONGEST_TOLD_WAIT,
    onHint,
    ledger,
    ...(key === undefined
      ? { token: false }
      : { signer: await fromSeed(key.secret), token: token ?? { iss: 'cli', ...tokenSubject(target) } }),
    // It is that of the ledger of the context.
    ...(target.system === undefined || ledger === undefined ? {} : { systemKey: target.system }),
  });
}

function tokenSubject({ signer }: CommandTarget): { sub?: string } {
  return signer === undefined ? {} : { sub: `signer:${signer}` };
}

function anonymousIdentity(isSigned: boolean): CallerIdentity {
  if (isSigned) throw usage('No key is chosen to sign with.', 'give --signer, or make one: `countersign key create`');
  return ANONYMOUS;
}
