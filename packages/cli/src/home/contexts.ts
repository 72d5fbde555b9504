import { isObject, type Json, readJson } from '@countersign/protocol';
import { localFailure } from '../terminal/failure.js';
import type { Home } from './home.js';

/** Which server and ledger commands are about, and who signs. */
export interface Context {
  /** Base URL of the server, which ends in `/v2`. */
  readonly server?: string;
  /** Handle of the ledger. */
  readonly ledger?: string;
  /** Name of a key in the key store. */
  readonly signer?: string;
  /** Public key that the ledger signs its answers with, as it was when the ledger was selected. */
  readonly system?: string;
}

/** All contexts, and the name of the one that is in use. */
export interface Contexts {
  readonly current: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

const FILE = 'contexts.json';
const CONTEXT_MEMBERS = ['server', 'ledger', 'signer', 'system'] as const;
const CONTEXT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Reads the contexts; before the first there is an empty one called `default`. */
export async function readContexts(home: Home): Promise<Contexts> {
  const text = await home.read(FILE);
  if (text === undefined) return { current: 'default', contexts: {} };
  const value = parseContexts(text);
  if (!isObject(value) || typeof value.current !== 'string' || !isObject(value.contexts)) throw unreadable(home);
  const contexts: Record<string, Context> = {};
  for (const [name, context] of Object.entries(value.contexts)) {
    if (!isObject(context)) throw unreadable(home);
    const known: Record<string, string> = {};
    for (const member of CONTEXT_MEMBERS) if (typeof context[member] === 'string') known[member] = context[member];
    contexts[name] = known;
  }
  return { current: value.current, contexts };
}

/** Changes one context, and makes it the one in use. A member that is undefined is forgotten. */
export async function writeContext(
  home: Home,
  name: string,
  change: { readonly [Member in keyof Context]?: string | undefined },
): Promise<void> {
  if (!CONTEXT_NAME.test(name))
    throw localFailure(`'${name}' cannot be the name of a context.`, 'use letters, digits, _, . and -');
  const before = await readContexts(home);
  const merged: Record<string, string> = {};
  for (const member of CONTEXT_MEMBERS) {
    const value = member in change ? change[member] : before.contexts[name]?.[member];
    if (value !== undefined) merged[member] = value;
  }
  const contexts = { ...before.contexts, [name]: merged };
  await home.write(`${JSON.stringify({ current: name, contexts }, undefined, 2)}\n`, FILE);
}

function parseContexts(text: string): Json | undefined {
  try {
    return readJson(text) as Json;
  } catch {
    return undefined;
  }
}

function unreadable(home: Home) {
  return localFailure(`${home.folder}/${FILE} cannot be understood.`, 'mend or delete the file, then connect again');
}
