import type { Json, JsonObject } from '@countersign/protocol';
import { type OpenLedger, openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { toInteger } from '../../money/amount.js';
import {
  CLAIM_ACTIONS,
  hasSource,
  hasTarget,
  isClaimAction,
  readClaim,
  type SpokenClaim,
  toSignedClaim,
} from '../../money/claim.js';
import { factorsOf } from '../../money/symbols.js';
import { usage } from '../../terminal/failure.js';
import { parseInput, parseInputObject, resolveText } from '../../terminal/input.js';
import { isInteractive } from '../../terminal/surroundings.js';
import { STATEMENT, statementOf } from '../records/statement.js';
import { writeIntent } from './intent-text.js';
import { awaitIntent, timeoutOf, WAIT } from './intent-wait.js';

export const intentCreate: CliCommand = {
  path: ['intent', 'create'],
  summary: 'Create an intent: move, issue or destroy amounts',
  about:
    'Amounts are in whole units: 25.00 of a symbol with factor 100 is signed as 2500. Without --claim and --claims one claim is ' +
    'made of --action, --amount, --symbol, --source and --target.',
  arguments: [
    { name: 'handle', about: 'handle of the intent', ask: { kind: 'text', message: 'Handle of the intent' } },
  ],
  options: [
    {
      flags: '--claim <claim...>',
      about: 'a claim in words, such as "transfer 25.00 usd from shop to till"; may be several',
    },
    { flags: '--claims <json>', about: 'all claims as JSON, with amounts as the ledger counts; @file reads a file' },
    {
      flags: '--action <action>',
      about: 'what the claim does',
      choices: CLAIM_ACTIONS,
      ask: { kind: 'select', message: 'Action', choices: CLAIM_ACTIONS },
    },
    { flags: '--amount <amount>', about: 'in whole units', ask: { kind: 'text', message: 'Amount' } },
    { flags: '--symbol <symbol>', about: 'of which symbol', ask: { kind: 'text', message: 'Symbol' } },
    { flags: '--source <wallet>', about: 'from which wallet', ask: { kind: 'text', message: 'Source' } },
    { flags: '--target <wallet>', about: 'to which wallet', ask: { kind: 'text', message: 'Target' } },
    { flags: '--manual', about: 'hold it, when it is prepared, until a signer commits or aborts it' },
    { flags: '--schema <handle>', about: 'schema of the intent' },
    { flags: '--custom <json>', about: 'free content, an object; @file reads a file' },
    { flags: '--access <json>', about: 'rules of this intent, an array; @file reads a file' },
    ...WAIT,
    ...STATEMENT,
  ],
  connects: true,
  examples: [
    {
      call: 'countersign intent create pay-1 --claim "transfer 25.00 usd from shop to till" --wait',
      about: 'moves 25 usd',
    },
  ],
  async run(invocation) {
    const handle = await invocation.need('handle');
    const given = await parseClaimFlag(invocation);
    let open: Promise<OpenLedger> | undefined;
    const opened = () => {
      open ??= openLedger(invocation, true);
      return open;
    };
    const spoken = given === undefined ? await composeClaims(invocation, opened) : [];
    const statement = await statementOf(invocation);
    await timeoutOf(invocation);
    const others = await otherData(invocation);
    const { ledger } = await opened();
    const factorOf = factorsOf(ledger);
    const claims: Json[] = [];
    for (const claim of spoken)
      claims.push(toSignedClaim(claim, toInteger(claim.amount, await factorOf(claim.symbol))));
    const data = { handle, claims: given ?? claims, ...others } as unknown as Parameters<
      typeof ledger.intents.create
    >[0];
    const made = await ledger.intents.create(data, { custom: statement });
    const intent = await awaitIntent(invocation, ledger, made, 'completed');
    invocation.output.done(`Intent ${handle} ${invocation.is('wait') ? intent.meta.status : 'accepted'}.`);
    await writeIntent(invocation, ledger, intent);
  },
};

/** The claims that were given as JSON, which stay as they are. */
async function parseClaimFlag(invocation: Invocation): Promise<Json[] | undefined> {
  const json = invocation.get('claims');
  if (json === undefined) return undefined;
  const claims = parseInput(await resolveText(json, () => invocation.input()), '--claims');
  if (!Array.isArray(claims)) throw usage('--claims is not an array.');
  return claims;
}

/** The claims in words, or the one that flags and answers tell. */
async function composeClaims(
  invocation: Invocation,
  opened: () => Promise<OpenLedger>,
): Promise<readonly SpokenClaim[]> {
  const texts = invocation.all('claim');
  if (texts.length > 0) return texts.map(readClaim);
  const action = await invocation.need('action');
  if (!isClaimAction(action)) throw usage(`'${action}' is not an action.`, `use one of ${CLAIM_ACTIONS.join(', ')}`);
  const source = hasSource(action) ? { source: await invocation.need('source') } : {};
  const target = hasTarget(action) ? { target: await invocation.need('target') } : {};
  const symbol = await invocation.need('symbol');
  return [{ action, symbol, amount: await amountOf(symbol, invocation, opened), ...source, ...target }];
}

/** The amount that was given; or that is answered, when the symbol can have it. */
async function amountOf(symbol: string, invocation: Invocation, opened: () => Promise<OpenLedger>): Promise<string> {
  const isAsked = invocation.get('amount') === undefined && isInteractive(invocation.surroundings);
  if (!isAsked) return invocation.need('amount');
  const factor = await factorsOf((await opened()).ledger)(symbol);
  const check = (text: string) => {
    try {
      toInteger(text, factor);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return invocation.need('amount', { kind: 'text', message: `Amount in ${symbol}`, check });
}

async function otherData(invocation: Invocation): Promise<JsonObject> {
  const read = async (name: string) => {
    const text = invocation.get(name);
    return text === undefined ? undefined : resolveText(text, () => invocation.input());
  };
  const [custom, access, schema] = [await read('custom'), await read('access'), invocation.get('schema')];
  return {
    ...(schema === undefined ? {} : { schema }),
    ...(invocation.is('manual') ? { config: { commit: 'manual' } } : {}),
    ...(custom === undefined ? {} : { custom: parseInputObject(custom, '--custom') }),
    ...(access === undefined ? {} : { access: parseInput(access, '--access') }),
  };
}
