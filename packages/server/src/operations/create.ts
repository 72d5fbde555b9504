import { type JsonObject, LedgerError, type Meta, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import { authorizeBeside, authorizeNew } from '../authorization/authorize.js';
import { writer } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { newSubject } from '../authorization/context.js';
import { assertMayReveal, revealed } from '../authorization/reveal.js';
import { assertMayBeCreated } from '../authorization/status.js';
import { assertSigned, clientTrail, ownersOf, type Signed } from '../authorization/trail.js';
import { moment } from '../base/clock.js';
import type { Kind, KindName } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { type Decided, reused } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { assertDomain, joinedDomain } from '../records/domain.js';
import { assertStateFits, checkData, stepsToCheck } from '../records/kind-rules.js';
import { labelsAfter } from '../records/labels.js';
import { assertProofs, customsOf, usesOf } from '../records/proofs.js';
import { foundRelations } from '../records/relations.js';
import { sealedSecrets } from '../records/secrets.js';
import { inOrder } from '../records/serve.js';
import { assertNotUnderReserved, assertUnder, foundParent, type Parent } from '../records/stored.js';
import { checkUserSchema } from '../records/user-schemas.js';
import { keyOf, newLuid, type Version, versionOf, withProofs } from '../records/version.js';
import { stepsOfText } from '../work/task.js';
import { asksForSecrets } from './asks-for-secrets.js';
import { bodyChecksOf } from './bodies.js';
import { type Completed, completed } from './generated.js';
import type { Operation } from './operation.js';
import { SIGNED } from './refusals.js';
import { repeatedCreate } from './repeated.js';
import { hashedFor, signedBy } from './sent.js';
import type { Handover, Stage, Stages } from './stage.js';
import { assertUnused } from './unused.js';

/** A create that has passed every check about the request alone. */
interface Create {
  readonly kind: Kind;
  readonly command: Command;
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
export async function create(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const { body, token } = command;
  const sent = bodyChecksOf(kind).create(hashedFor(session, body, token));
  await session.task.turn();
  const signed = signedBy(session, kind, sent, token);
  const reveals = asksForSecrets(kind, command);
  const luid = newLuid(session, kind);
  const labels = labelsAfter(undefined, customsOf(signed.proofs));
  const { data, meta } = sent;
  const creation: Create = { kind, command, data, signed, labels, luid, secrets: meta?.secret ?? {}, reveals };
  return stages(session, kind, command, async (session, stage) => {
    // No commit follows what only a service outside keeps.
    const commits = !stage.isHanded(session, 'create');
    const caller = await writer(session, signed.proofs.signed, token, commits);
    assertSigned(signed, caller);
    const { handover, made, decided, parent } = await prepare(session, creation, caller, stage);
    const taken = () => answerTaken(session, creation, { made, caller, parent });
    await session.task.turn();
    let write: Decided = { ...versionOf(session.ledger, kind, made, 1), ...decided };
    if (handover) {
      if (await isTaken(session, made, kind)) return taken();
      await assertUnused(session, signed, luid);
      const asked = { data: sent.data, signed, caller, record: made };
      if (handover.proxied) return handover.answerVersion(session, asked);
      const added = await handover.takeVersion(session, asked);
      write = { ...write, ...versionOf(session.ledger, kind, withProofs(made, added, moment(session.nature)), 1) };
    }
    const stored = await session.commit(write);
    // A create that is sent again has another luid, and the record it made has its key.
    if (stored === 'reused' && !(await isTaken(session, made, kind))) throw reused();
    if (stored !== 'done') return taken();
    const answer = { status: kind.trail.answer ?? 201, body: write.body };
    return reveals ? revealed(session, kind, answer, write.secrets) : answer;
  });
}

/** Whether a record has the key already. The commit looks once more; a bridge is not even asked. */
async function isTaken(session: Session, made: RecordEnvelope, kind: Kind): Promise<boolean> {
  const key = keyOf(kind, made);
  const { record } = await session.store.lookup({ ledger: session.ledger.id, kind: kind.name, id: key, by: 'handle' });
  return record !== undefined;
}

/**
 * What is answered when the key of a new record is taken.
 *
 * @throws `record.duplicated` unless it was this very create that took it
 */
async function answerTaken(
  session: Session,
  { kind, data, signed, reveals }: Create,
  { made, caller, parent }: Pick<Prepared, 'made' | 'parent'> & { readonly caller: Caller },
): Promise<Answer> {
  const taken = { key: keyOf(kind, made), hash: made.hash };
  const repeated = await repeatedCreate(session, kind, taken, signed, parent);
  if (repeated === undefined) {
    throw new LedgerError('record.duplicated', `${kind.title} with handle ${nameOf(kind, data)} already exists.`);
  }
  const answer = { status: 200, body: repeated.body };
  if (!reveals) return answer;
  // Of the record as it is now, which may be another than the one that was to be made.
  await assertMayReveal(session, kind, caller, repeated.subject);
  return revealed(session, kind, answer);
}

/** A create that the ledger has decided on. */
interface Prepared {
  readonly made: RecordEnvelope;
  /** How policies hand it to a service outside; absent when they do not. */
  readonly handover: Handover | undefined;
  /** What its write is, beside the version of the record. */
  readonly decided: Omit<Decided, keyof Version>;
  /** The record it lies under, where its kind has one. */
  readonly parent: Parent | undefined;
}

/** Decides on the create as the ledger is now, and makes the record (contract 01 §12, Order of checks 9 to 15). */
async function prepare(session: Session, creation: Create, caller: Caller, stage: Stage): Promise<Prepared> {
  const { kind, command, data, signed } = creation;
  const parent = await parentOfNew(session, kind, command, data);
  const domain = joinedDomain(session.ledger, kind, data, signed.proofs, parent);
  const owners = ownersOf(session.ledger, signed, caller);
  const subject = newSubject(kind, data, owners, domain, creation.labels);
  const conditions = await conditionsOf(session, caller, subject);
  const asked = { kind, subject, ...(parent ? { parent } : {}), conditions };
  await authorizeNew(session, caller, asked);
  assertNotUnderReserved(kind, data);
  if (creation.reveals) await assertMayReveal(session, kind, caller, subject);
  await checkUserSchema(session, kind, data, domain);
  const needs = await foundRelations(session, kind, data);
  assertDomain(session.ledger, kind, domain, nameOf(kind, data), signed.proofs);
  await authorizeBeside(session, caller, asked, needs);
  await session.task.turn(stepsToCheck(kind));
  checkData(kind, session.ledger, data);
  assertStateFits(kind, session.ledger, domain, data);
  await session.task.turn();
  if (kind.lifecycle.createdByPolicy) assertMayBeCreated(session.task, session.ledger, kind, subject);
  const completion = completed(session, kind, data, creation.secrets);
  const make = () => newRecord(session, creation, { caller, owners, domain, completion });
  const record = await stage.once(session, 0, make);
  const full = completion ?? creation;
  return {
    made: record,
    parent,
    handover: stage.ofNew(session, subject),
    decided: {
      action: 'create',
      needs,
      decides: kind.access.decides === 'always',
      proofs: usesOf(session, signed.proofs),
      secrets: sealedSecrets(session, kind, full.data, record.luid, full.secrets, new Set()),
    },
  };
}

/**
 * The record the path goes through, which data must name too. Where data names it as a relation, its absence is told
 * as that of the relation, in its turn (contract 03 §2.5).
 */
async function parentOfNew(
  session: Session,
  kind: Kind,
  command: Command,
  data: JsonObject,
): Promise<Parent | undefined> {
  const { under } = kind.links;
  const named = under !== undefined && data[under.member] === command.params.parent;
  const isRelation = named && kind.links.relations?.(data).some((relation) => relation.kind === under.kind);
  const parent = await foundParent(session, kind, command);
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
  session: Session,
  { kind, data: sent, signed, labels, luid }: Create,
  { caller, owners, domain, completion }: Decision,
): Promise<RecordEnvelope> {
  const { data, hash } = completion ?? { data: sent, hash: signed.hash };
  const now = moment(session.nature);
  const trail = kind.trail.created ?? [{ status: 'created', luid: true }];
  const meta: Meta = {
    proofs: completion
      ? [session.ledger.system.stored(hash, { luid, moment: now })]
      : [
          ...(await clientTrail(session, kind, signed, caller, now)),
          ...trail.map(({ status, luid: named }) =>
            session.ledger.system.stored(hash, { ...(named ? { luid } : {}), moment: now, status }),
          ),
        ],
    status: kind.lifecycle.initialStatus ?? 'created',
    ...(await kind.lifecycle.meta?.(data, {
      random: session.nature.random,
      domainOf: (kind, handle) => domainOf(session, kind, handle),
    })),
    moment: now,
    owners: completion ? [] : owners,
    ...(labels === undefined ? {} : { labels }),
    ...(domain === undefined ? {} : { domain }),
  };
  assertProofs(meta.proofs);
  const served = kind.data.served?.(data, domain) ?? data;
  return { hash, data: inOrder(kind, served), luid, meta };
}

async function domainOf(session: Session, kind: KindName, handle: string): Promise<string | undefined> {
  const { record } = await session.store.lookup({
    ledger: session.ledger.id,
    kind,
    id: handle,
    by: 'handle',
  });
  // An intent names many wallets, and each may be large.
  await session.task.turn(stepsOfText(record?.body));
  return record && (JSON.parse(record.body) as RecordEnvelope).meta.domain;
}

/** What errors call a record: its handle, or that of the record it links to. */
function nameOf(kind: Kind, data: JsonObject): string {
  return String(data.handle ?? (kind.links.to && data[kind.links.to.member]));
}

/** The operation `create`. */
export const createRecord: Operation = {
  name: 'create',
  isOf: ({ only, lifecycle }) => only === undefined && lifecycle.operations.includes('create'),
  routes: () => [{ method: 'POST', of: 'records' }],
  perform: create,
  refusals: {
    always: [...SIGNED, 'record.relation-not-found', 'record.status-policy-violation', 'record.duplicated'],
    nested: ['record.not-found'],
  },
  handed: 'create',
  description: {
    id: (one) => `create${one}`,
    summary: (one) => `Create ${one}`,
    body: ({ name }) => `${name}-create`,
    parameters: ['include'],
    answers({ name, trail }) {
      const status = trail.answer ?? 201;
      const repeated = { text: 'The record as it is: the same signed body was stored before.', component: name };
      const created = { text: 'The record, countersigned.', component: name };
      return status === 200 ? { 200: created } : { 200: repeated, [status]: created };
    },
  },
};
