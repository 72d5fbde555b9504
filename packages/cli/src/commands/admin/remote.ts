import { randomBytes } from 'node:crypto';
import { hash, isObject, type Json, type JsonObject, portable, readJson } from '@countersign/protocol';
import type { AdminRefusal } from '@countersign/server/admin';
import { openKey } from '../../connect.js';
import { type Option, PASSWORD } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import type { SigningKeyPair } from '../../home/encrypted-key.js';
import { Failure, usage } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { type HttpAnswer, sendRequest } from '../../wire/exchange.js';
import { signToken } from '../../wire/identity.js';

/** Options of what can be done from afar. */
export const REMOTE_OPTIONS: readonly Option[] = [
  {
    flags: '--server <url>',
    env: 'COUNTERSIGN_ADMIN_SERVER',
    about: "the operators' listener of a server elsewhere (ADMIN_PORT), instead of the deployment at this machine",
  },
  {
    flags: '--key <name>',
    env: 'COUNTERSIGN_ADMIN_KEY',
    about: 'name of the key that signs for it: one of OPERATOR_KEYS there',
  },
  ...PASSWORD,
];

/** A listener of operators, and the key that signs for it. */
export interface RemoteListener {
  /** It ends with a slash. */
  readonly url: URL;
  readonly key: SigningKeyPair;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The listener that a call names; undefined where it is about this machine. @throws Failure */
export async function findRemote(invocation: Invocation): Promise<RemoteListener | undefined> {
  const [server, name] = [invocation.get('server'), invocation.get('key')];
  if (server === undefined && name === undefined) return undefined;
  if (server === undefined) throw usage('--key is for a server elsewhere.', 'add --server <url>');
  if (name === undefined) throw usage('The key that signs is missing.', 'add --key <name>');
  if (invocation.typed.has('data'))
    throw usage(
      `--data is for this machine, and the call is for ${server}.`,
      'leave --data out, or unset COUNTERSIGN_ADMIN_SERVER and COUNTERSIGN_ADMIN_KEY',
    );
  return { url: parseServerUrl(server), key: await openKey(invocation, name), now: invocation.surroundings.now };
}

function parseServerUrl(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(full))
    throw usage(`'${text}' is not the address of a server.`, 'give one such as http://127.0.0.1:9465');
  url.pathname = url.pathname.replace(/\/*$/, '/');
  return url;
}

/** A refusal over HTTP, as an error: it ends the command as one at this machine does. */
export class RemoteRefusal extends Error {
  constructor(readonly refusal: AdminRefusal) {
    super(refusal.detail);
  }
}

/**
 * Has an operation done by a server elsewhere. The request is signed for that deployment, address and input, and is good once.
 *
 * @throws RemoteRefusal; Failure
 */
export async function askRemote(remote: RemoteListener, name: string, input: object): Promise<Json> {
  const { deployment } = await sendCall(remote, 'GET', '', undefined);
  if (typeof deployment !== 'string') throw notOperators(remote);
  const body = JSON.stringify(input);
  const path = `operations/${name}`;
  const token = mintBound(remote, deployment, path, readJson(body) as Json);
  const { result } = await sendCall(remote, 'POST', path, { body, token });
  if (result === undefined) throw notOperators(remote);
  return result;
}

/** Seconds that a request is good for: clocks differ, and it is used at once. */
const REQUEST_LIFETIME = 60;

/** A token for one request (interface/tokens#self-signed-tokens). */
function mintBound({ url, key, now }: RemoteListener, deployment: string, path: string, body: Json): string {
  const iat = Math.floor(now() / 1000);
  const isEmpty = isObject(body) && Object.keys(body).length === 0;
  const hsh = hash({ method: 'POST', url: url.href + path, headers: null, body: isEmpty ? null : body }, portable);
  const jti = randomBytes(16).toString('hex');
  return signToken(key, { iss: key.public, aud: deployment, iat, exp: iat + REQUEST_LIFETIME, jti, hsh });
}

interface SignedBody {
  readonly body: string;
  readonly token: string;
}

async function sendCall(
  remote: RemoteListener,
  method: string,
  path: string,
  sent: SignedBody | undefined,
): Promise<JsonObject> {
  const headers: [string, string][] = [['accept', 'application/json']];
  if (sent) headers.push(['authorization', `Bearer ${sent.token}`], ['content-type', 'application/json']);
  const body = sent && Buffer.from(sent.body);
  const { status, bytes } = await sendRequest({ method, server: remote.url, path, headers, body });
  const answer = parseAnswer(bytes);
  if (status === 200 && answer !== undefined) return answer;
  const { error } = answer ?? {};
  if (!isObject(error) || typeof error.reason !== 'string' || typeof error.detail !== 'string')
    throw notOperators(remote);
  throw new RemoteRefusal(error as unknown as AdminRefusal);
}

function notOperators({ url }: RemoteListener): Failure {
  return new Failure('unreachable', `${url.href} does not answer like the operators' listener of a server.`, {
    advice: 'give the address that ADMIN_PORT and ADMIN_URL of the server name',
  });
}

/** What it holds goes to a terminal. */
function parseAnswer(bytes: HttpAnswer['bytes']): JsonObject | undefined {
  try {
    const answer = printableValues(readJson(bytes.toString()) as Json);
    return isObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function printableValues(value: Json): Json {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(printableValues);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [printable(name), printableValues(one as Json)]),
  );
}
