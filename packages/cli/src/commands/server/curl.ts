import { isObject, type Json } from '@countersign/protocol';
import { connectToServer, findTarget, tellHint } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { EXIT, Failure, usage } from '../../terminal/failure.js';
import { parseInput, resolveText } from '../../terminal/input.js';
import { failureOfAnswer } from '../../wire/connection.js';
import { ANONYMOUS } from '../../wire/identity.js';
import { routeOf } from '../../wire/route.js';
import { signRequest } from '../../wire/sign.js';
import { TrustedRecords } from '../../wire/trusted-records.js';

const HTTP_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];

export const curl: CliCommand = {
  path: ['curl'],
  summary: 'Send one request, signed, and write the answer as it is',
  about:
    'Creates, updates, drops and proofs get what the proxy gives them: the version they replace, the hash, and a signature. ' +
    'A record is verified before it is signed. ' +
    `The exit code is ${EXIT.refused.code} when the server refuses.`,
  arguments: [
    { name: 'method', about: HTTP_METHODS.join(', ') },
    { name: 'path', about: 'below the base URL, with its query' },
  ],
  options: [
    { flags: '-d, --data <json>', about: 'the body; @file reads a file, @- standard input' },
    { flags: '-i, --include', about: 'write the status and headers, too' },
    { flags: '--as-is', about: 'send the body without signing it' },
  ],
  connects: true,
  examples: [
    { call: `countersign curl POST /wallets -d '{"data": {"handle": "shop"}}'`, about: 'makes a wallet' },
    { call: `countersign curl POST /wallets/shop/proofs -d '{"status": "active"}'`, about: 'signs it' },
    { call: 'countersign curl DELETE /wallets/shop', about: 'drops it' },
  ],
  async run(invocation) {
    const method = (await invocation.need('method')).toUpperCase();
    if (!HTTP_METHODS.includes(method))
      throw usage(`${method} is not a method.`, `use one of ${HTTP_METHODS.join(', ')}`);
    const path = (await invocation.need('path')).replace(/^\/?/, '/').replace(/^\/v2(?=\/|\?|$)/, '');
    const connection = await connectToServer(invocation);
    const { ledger, system } = await findTarget(invocation);
    const records = new TrustedRecords(ledger === undefined || system === undefined ? undefined : { ledger, system });
    const given = invocation.get('data');
    const text = given === undefined ? undefined : await resolveText(given, () => invocation.input());
    const body = text === undefined ? undefined : parseInput(text, 'The body');
    const isAsIs = invocation.is('as-is') || connection.identity === ANONYMOUS;
    const sent = isAsIs
      ? body
      : await signRequest(method, path.split('?')[0] as string, body, {
          key: connection.identity.key,
          ledger: connection.ledger,
          isBound: true,
          now: connection.now,
          read: (route) => records.read(route, connection.ledger, () => connection.get(route.record)),
        });
    const isOutside = /^\/(ledgers)?(\?|$)/.test(path);
    const bytes = sent === undefined ? undefined : Buffer.from(JSON.stringify(sent));
    const answer = await (isOutside ? connection.outside() : connection).exchange(method, path, bytes);
    const { output } = invocation;
    if (invocation.is('include')) {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\n`);
      output.raw(`${answer.status}\n${headers.join('')}\n`);
    }
    output.raw(answer.bytes);
    if (answer.bytes.length > 0) output.raw('\n');
    const hint = answer.headers['x-hint'];
    if (hint !== undefined) tellHint(invocation)(String(hint));
    if (answer.status >= 400)
      throw summaryOf(failureOfAnswer(answer), isAsIs ? undefined : whatIsMissing(method, path, body));
  },
};

/** The body was written already: what is told beside it is short. */
function summaryOf({ exit, message, more: { reason, advice } }: Failure, missing?: string): Failure {
  return new Failure(exit, message, { reason, advice: missing ?? advice });
}

/** What keeps a body from being signed: then it went out as it was, and the server asks for a hash. */
function whatIsMissing(method: string, path: string, body: Json | undefined): string | undefined {
  const purpose = routeOf(method, path.split('?')[0] as string)?.purpose;
  if (purpose !== 'create' && purpose !== 'update') return undefined;
  if (isObject(body) && isObject(body.data)) return undefined;
  const form = '{"data": {"handle": "shop"}}';
  if (body === undefined) return `the request has no body: give the record with -d '${form}'`;
  return `the body has no "data", an object with the members of the record: -d '${form}'. It is then hashed and signed here`;
}
