import { type JsonObject, LedgerError, type Meta, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import { moment } from '../base/clock.js';
import { type Aspect, aspectsFor, declares, onlyOne } from '../forwarding/aspect.js';
import type { Forwarding } from '../forwarding/call.js';
import { forwardVersion, proxiedVersion } from '../forwarding/version.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import { kindNamed } from '../kinds/registry.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { stepsOfText } from '../work/task.js';
import { commit, type Decided, onCurrent } from '../ledgers/attempt.js';
import { authorizeBeside, authorizeNew } from '../authorization/authorize.js';
import { bodyChecksOf } from './bodies.js';
import { writer } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { newSubject } from '../authorization/context.js';
import { assertDomain, joinedDomain } from '../records/domain.js';
import { type Completed, completed } from './generated.js';
import { assertStateFits, checkData, stepsToCheck } from '../records/kind-rules.js';
import { labelsAfter } from '../records/labels.js';
import { assertProofs, customsOf, reused, usesOf } from '../records/proofs.js';
import { foundRelations } from '../records/relations.js';
import { repeatedCreate } from './repeated.js';
import { type Answer, authenticate, type Request, readBody } from './request.js';
import { asksForSecrets, assertMayReveal, revealed } from '../authorization/reveal.js';
import { sealedSecrets } from '../records/secrets.js';
import { hashedFor, signedBy } from './sent.js';
import { inOrder } from '../records/serve.js';
import { assertMayBeCreated } from '../authorization/status.js';
import { assertNotUnderReserved, assertUnder, foundParent, type Parent } from '../records/stored.js';
import { assertSigned, clientTrail, ownersOf, type Signed } from '../authorization/trail.js';
import { assertUnused } from './unused.js';
import { keyOf, newLuid, type Version, versionOf, withProofs } from '../records/version.js';

/** A create that has passed every check about the request alone. */
interface Create {
  readonly kind: Kind;
  readonly request: Request;
  readonly data: JsonObject;
  readonly signed: Signed;
  readonly labels: string[] | undefined;
  /** The new record's: the same however often the create is decided, as a bridge may have been told. */
  readonly luid: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** Whether the values of its secrets are to be in the answer. */
  readonly reveals: boolean;
}

/**
 * `POST /{kind}s` (contract 01 §4).
 *
 * @returns 201 (circle signers: 200) with the record, countersigned; 200 when the same signed body was stored before
 *   (contract 00, Retry safety)
 */
export async function create(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const body = readBody(request);
  const token = await authenticate(service, ledger, request, body);
  const sent = bodyChecksOf(kind).create(hashedFor(service, body, token));
  await service.task.turn();
  const signed = signedBy(service, ledger, kind, sent, token);
  const reveals = asksForSecrets(kind, request);
  const luid = newLuid(service, kind);
  const labels = labelsAfter(undefined, customsOf(signed.proofs));
  const { data, meta } = sent;
  const creation: Create = { kind, request, data, signed, labels, luid, secrets: meta?.secret ?? {}, reveals };
  const forwarding: Forwarding = { kind, request, asked: {} };
  return onCurrent(service, ledger, async (current) => {
    // No commit follows what only a bridge keeps.
    const commits = !declares(current, kind, 'create');
    const caller = await writer(service, current, signed.proofs.signed, token, commits);
    assertSigned(signed, caller);
    const { aspect, made, decided, parent } = await prepare(service, current, creation, caller);
    const taken = () => answerTaken(service, current, creation, { made, caller, parent });
    await service.task.turn();
    let write: Decided = { ...versionOf(current, kind, made, 1), ...decided };
    if (aspect) {
      if (await isTaken(service, current, made, kind)) return taken();
      await assertUnused(service, current, signed, luid);
      const asked = { data: sent.data, signed, caller, record: made };
      if (aspect.strategy === 'proxy') return proxiedVersion(service, current, forwarding, aspect, asked);
      const added = await forwardVersion(service, current, forwarding, aspect, asked);
      write = { ...write, ...versionOf(current, kind, withProofs(made, added, moment(service.nature)), 1) };
    }
    const stored = await commit(service, current, write);
    // A create that is sent again has another luid, and the record it made has its key.
    if (stored === 'reused' && !(await isTaken(service, current, made, kind))) throw reused();
    if (stored !== 'done') return taken();
    const answer = { status: kind.trail?.answer ?? 201, body: write.body };
    return reveals ? revealed(service, current, kind, answer, write.secrets) : answer;
  });
}

/** Whether a record has the key already. The commit looks once more; a bridge is not even asked. */
async function isTaken(service: Service, ledger: Ledger, made: RecordEnvelope, kind: Kind): Promise<boolean> {
  const key = keyOf(kind, made);
  const { record } = await service.store.lookup({ ledger: ledger.id, kind: kind.name, id: key, by: 'handle' });
  return record !== undefined;
}

/**
 * What is answered when the key of a new record is taken.
 *
 * @throws `record.duplicated` unless it was this very create that took it
 */
async function answerTaken(
  service: Service,
  ledger: Ledger,
  { kind, data, signed, reveals }: Create,
  { made, caller, parent }: Pick<Prepared, 'made' | 'parent'> & { readonly caller: Caller },
): Promise<Answer> {
  const taken = { key: keyOf(kind, made), hash: made.hash };
  const repeated = await repeatedCreate(service, ledger, kind, taken, signed, parent);
  if (repeated === undefined) {
    throw new LedgerError('record.duplicated', `${kind.title} with handle ${nameOf(kind, data)} already exists.`);
  }
  const answer = { status: 200, body: repeated.body };
  if (!reveals) return answer;
  // Of the record as it is now, which may be another than the one that was to be made.
  await assertMayReveal(service, ledger, kind, caller, repeated.subject);
  return revealed(service, ledger, kind, answer);
}

/** A create that the ledger has decided on. */
interface Prepared {
  readonly made: RecordEnvelope;
  /** How policies hand it to a bridge; absent when they do not. */
  readonly aspect: Aspect | undefined;
  /** What its write is, beside the version of the record. */
  readonly decided: Omit<Decided, keyof Version>;
  /** The record it lies under, where its kind has one. */
  readonly parent: Parent | undefined;
}

/** Decides on the create as the ledger is now, and makes the record (contract 01 §12, Order of checks 9 to 15). */
async function prepare(service: Service, ledger: Ledger, creation: Create, caller: Caller): Promise<Prepared> {
  const { kind, request, data, signed } = creation;
  const parent = await parentOfNew(service, ledger, kind, request, data);
  const domain = joinedDomain(ledger, kind, data, signed.proofs, parent);
  const owners = ownersOf(ledger, signed, caller);
  const subject = newSubject(kind, data, owners, domain, creation.labels);
  const conditions = await conditionsOf(service, ledger, caller, subject);
  const asked = { kind, subject, ...(parent ? { parent } : {}), conditions };
  await authorizeNew(service, ledger, caller, asked);
  assertNotUnderReserved(kind, data);
  if (creation.reveals) await assertMayReveal(service, ledger, kind, caller, subject);
  await service.userSchemas.check(service.task, ledger, kind, data, domain);
  const needs = await foundRelations(service, ledger, kind, data);
  assertDomain(ledger, kind, domain, nameOf(kind, data), signed.proofs);
  await authorizeBeside(service, ledger, caller, asked, needs);
  await service.task.turn(stepsToCheck(kind));
  checkData(kind, ledger, data);
  assertStateFits(kind, ledger, domain, data);
  await service.task.turn();
  if (kind.createdByPolicy) assertMayBeCreated(service.task, ledger, kind, subject);
  const completion = completed(service, kind, data, creation.secrets);
  const record = await newRecord(service, ledger, creation, { caller, owners, domain, completion });
  const full = completion ?? creation;
  return {
    made: record,
    parent,
    aspect: onlyOne(aspectsFor(service.task, ledger, kind, 'create', request, subject)),
    decided: {
      action: 'create',
      needs,
      decides: kind.decides === 'always',
      proofs: usesOf(service, signed.proofs),
      secrets: sealedSecrets(service, ledger, kind, full.data, record.luid, full.secrets, new Set()),
    },
  };
}

/**
 * The record the path goes through, which data must name too. Where data names it as a relation, its absence is told
 * as that of the relation, in its turn (contract 03 §2.5).
 */
async function parentOfNew(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  request: Request,
  data: JsonObject,
): Promise<Parent | undefined> {
  const { under } = kind;
  const named = under !== undefined && data[under.member] === request.params.parent;
  const isRelation = named && kind.relations?.(data).some((relation) => relation.kind === under.kind);
  const parent = await foundParent(service, ledger, kind, request);
  if (!parent && under && !isRelation) throw notFound(kindNamed(under.kind));
  if (parent) assertUnder(kind, data, parent);
  return parent;
}

/** What was found and decided about a create. */
interface Decision {
  readonly caller: Caller;
  readonly owners: string[];
  readonly domain: string | undefined;
  /** What the ledger made of the data itself. */
  readonly completion: Completed | undefined;
}

/** The record as it will be served: the client's proofs, then the ledger's (contract 01 §3). */
async function newRecord(
  service: Service,
  ledger: Ledger,
  { kind, data: sent, signed, labels, luid }: Create,
  { caller, owners, domain, completion }: Decision,
): Promise<RecordEnvelope> {
  const { data, hash } = completion ?? { data: sent, hash: signed.hash };
  const now = moment(service.nature);
  const trail = kind.trail?.created ?? [{ status: 'created', luid: true }];
  const meta: Meta = {
    proofs: completion
      ? [ledger.system.stored(hash, { luid, moment: now })]
      : [
          ...(await clientTrail(service, ledger, kind, signed, caller, now)),
          ...trail.map(({ status, luid: named }) =>
            ledger.system.stored(hash, { ...(named ? { luid } : {}), moment: now, status }),
          ),
        ],
    status: kind.initialStatus ?? 'created',
    ...(await kind.meta?.(data, {
      random: service.nature.random,
      domainOfWallet: (handle) => domainOfWallet(service, ledger, handle),
    })),
    moment: now,
    owners: completion ? [] : owners,
    ...(labels === undefined ? {} : { labels }),
    ...(domain === undefined ? {} : { domain }),
  };
  assertProofs(meta.proofs);
  const served = kind.served?.(data, domain) ?? data;
  return { hash, data: inOrder(kind, served), luid, meta };
}

async function domainOfWallet(service: Service, ledger: Ledger, handle: string): Promise<string | undefined> {
  const { record } = await service.store.lookup({ ledger: ledger.id, kind: 'wallet', id: handle, by: 'handle' });
  // An intent names many wallets, and each may be large.
  await service.task.turn(stepsOfText(record?.body));
  return record && (JSON.parse(record.body) as RecordEnvelope).meta.domain;
}

/** What errors call a record: its handle, or the signer of a circle's signer. */
function nameOf(kind: Kind, data: JsonObject): string {
  return String(data.handle ?? (kind.key ? data.signer : undefined));
}
