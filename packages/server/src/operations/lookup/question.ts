import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Token } from '../../auth/token.js';
import { contextOf, newSubject } from '../../authorization/context.js';
import { defined } from '../../base/defined.js';
import { type Bridge, findBridge } from '../../bridges/bridge.js';
import { authorizationToForward, makeLedgerAuthorization } from '../../bridges/ledger-token.js';
import { setsAuthorization } from '../../bridges/security.js';
import { allowsMethod } from '../../bridges/traits.js';
import { type ListItem, newListItem } from '../../integrity/items.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { listText } from '../../lists/text.js';
import { turnForText } from '../../metering/task.js';
import { OutboundFailure } from '../../outbound/outbound.js';
import { cameBack, makeVia } from '../../outbound/via.js';
import { type Answer, type ForwardedRequest, REQUEST_ID } from '../../records/command.js';
import { resolveDomain } from '../../records/domain.js';
import { type LookupCall, sendLookup } from './ask-bridge.js';
import { parseItems } from './bridge-items.js';
import { type LookupTrait, NoAnswer } from './invalid-answer.js';
import type { LookupReader } from './reader.js';
import { findWalletAt, isWalletAddress } from './wallet-at.js';

/** A question about the wallet at an address, answered by the ledger or by the wallet's bridge. */
export interface LookupQuestion {
  readonly trait: LookupTrait;
  /** The kind of the items in the answer. */
  readonly kind: Kind;
  /** As the path has it, decoded. */
  readonly address: string;
  /** The request that it came in. */
  readonly request: ForwardedRequest;
  /** The client's, verified. */
  readonly token: Token | undefined;
  /** The data that filters of a bridge's traits are matched with. */
  readonly about: JsonObject;
  /** Appended to the address in the path at the bridge. */
  readonly path: string;
  /** Authorizes the caller, in each session anew. @throws `auth.unauthorized`, `auth.forbidden` */
  reader(session: Session): Promise<LookupReader>;
  /** Further checks on the ledger's state, before anything is looked for. */
  check?(session: Session, wallet: RecordEnvelope | undefined): Promise<void>;
  /** Makes the body that the bridge is sent; a question without one is a GET. */
  body?(session: Session): JsonObject;
  /** The answer of the ledger itself. */
  own(session: Session, reader: LookupReader, wallet: RecordEnvelope | undefined): Promise<Answer>;
}

/**
 * Answers a question, from the wallet's bridge where its traits allow that, else from the ledger (interface/lookups). The
 * first session authorizes the caller and prepares the call, the call is made outside of every session, and the second
 * session authorizes the caller again: a right that was revoked meanwhile shows nothing.
 *
 * @throws what `reader` and `check` throw; NoAnswer, `bridge.proxy-response-invalid`
 */
// biome-ignore format: what each step refuses stands beside it
export async function answerQuestion(session: Session, question: LookupQuestion): Promise<Answer> {
  const { trait } = question;
  const decided = await inSession(session, (current) => decideCall(current, question));
  if ('status' in decided) return decided;
  const answer = await sendLookup(session, decided);                            // bridge.proxy-response-invalid
  await turnForText(session.task, answer.text);
  const items = parseItems(trait, answer);                                      // bridge.proxy-response-invalid
  return inSession(session, (current) => answerLookupFromBridge(current, question, items)); // as question.reader refuses
}

/** The ledger's own answer, or the call of the wallet's bridge. */
// biome-ignore format: what each step refuses stands beside it
async function decideCall(session: Session, question: LookupQuestion): Promise<Answer | LookupCall> {
  const { trait, address, about, path, request } = question;
  const reader = await question.reader(session);                                // auth.unauthorized, auth.forbidden, and of a lookup record.invalid
  const wallet = isWalletAddress(address) ? await findWalletAt(session, address) : undefined;
  await question.check?.(session, wallet);                                      // of a lookup record.relation-not-found, record.schema-invalid
  if (!isWalletAddress(address)) return makeEmptyList(session);
  const handle = wallet?.data.bridge;
  if (typeof handle !== 'string') return question.own(session, reader, wallet); // api.query-malformed, and of a lookup record.invalid
  const bridge = await findBridge(session, handle);
  if (!bridge) throw new NoAnswer(trait);                                       // bridge.proxy-response-invalid
  if (!allowsMethod(session.task, bridge, trait, about)) return question.own(session, reader, wallet); // api.query-malformed, and of a lookup record.invalid
  if (!reader.anything) return makeEmptyList(session);
  if (cameBack(session.ledger, request.headers)) {                              // bridge.proxy-response-invalid
    throw new NoAnswer(trait, new OutboundFailure('refused', 'A bridge led a lookup back to the ledger that made it'));
  }
  const body = question.body?.(session);
  return {
    ...{ bridge, trait, method: body ? 'POST' : 'GET', path: `/wallets/${address}${path}` },
    headers: makeLookupHeaders(session, question, bridge, body !== undefined),
    ...(body ? { body } : {}),
  };
}

function makeEmptyList(session: Session): Answer {
  return { status: 200, body: listText(session, session.ledger, []) };
}

/**
 * The headers of a lookup (interface/lookups#at-a-bridge). The token of the ledger makes way, by another name, for what
 * else is sent as `authorization`.
 */
function makeLookupHeaders(
  session: Session,
  { request: { headers, id }, token }: LookupQuestion,
  bridge: Bridge,
  hasBody: boolean,
): Record<string, string> {
  const { ledger } = session;
  const clients = authorizationToForward(bridge, headers);
  const own = clients !== undefined || setsAuthorization(bridge) ? 'x-ledger-authorization' : 'authorization';
  return {
    accept: 'application/json, text/plain, */*',
    'accept-encoding': 'identity',
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...defined({ authorization: clients }),
    [own]: makeLedgerAuthorization(session, bridge, token),
    'x-ledger': ledger.handle,
    via: makeVia(ledger, headers),
    ...defined({ [REQUEST_ID]: id }),
  };
}

/**
 * The items of a bridge that the caller may see, judged by the rules of the ledger and of the domain that the item's handle
 * names. The `access` of an item is shown and has no effect: the bridge could grant itself readers by it.
 */
async function answerLookupFromBridge(
  session: Session,
  question: LookupQuestion,
  items: readonly JsonObject[],
): Promise<Answer> {
  const { kind } = question;
  const { caller, shows } = await question.reader(session);
  const seen: ListItem[] = [];
  for (const data of items) {
    const domain = resolveDomain(session.ledger, kind, data, { signed: [], partial: [] });
    const subject = { ...newSubject(kind, data, [], domain), known: 'data' } as const;
    await session.task.turn();
    if (!shows(kind.name, caller, contextOf(session, subject))) continue;
    const item = newListItem({ data: { access: [], ...data }, meta: {} } as Json);
    seen.push(item);
  }
  await session.task.turn();
  // The last check of the state: a read has no commit that would notice a revocation.
  await session.assertStillCurrent();
  return { status: 200, body: listText(session, session.ledger, seen) };
}
