import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import type { Token } from '../auth/token.js';
import type { ClientSignature } from '../authorization/caller.js';
import type { ListItem } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import type { PageQuery } from '../lists/page.js';
import type { Answer, Command } from '../records/command.js';
import type { SentDrop, SentProof } from '../records/sent-record.js';
import type { StoredRecord } from '../records/stored-record.js';

/** Actions that policies can hand to a service outside (interface/forwarding). */
export type HandedAction = 'read' | 'query' | 'create' | 'update' | 'drop' | 'sign';

/**
 * The port through which an operation hands its action to a service outside, where policies say so. The decision is
 * made in a session, the call outside of every session, and everything is checked again in a new session before the
 * commit. A write that only the service outside keeps has no commit, and is decided once.
 */
export interface HandOverStage {
  /** Whether any policy hands the action over: a cheap test that comes first. */
  isHanded(session: Session, action: HandedAction): boolean;
  /** How a new record is handed over. @throws `forward.unexpected-error` when policies have several ways */
  ofNew(session: Session, subject: Subject): Handover | undefined;
  /**
   * How an action on the record of the command is handed over.
   *
   * @param found the ledger's own record; undefined where at most the service outside has it
   * @param data what an update would make of a record that only the service outside has
   */
  ofRecord(
    session: Session,
    action: HandedAction,
    found: StoredRecord | undefined,
    data?: JsonObject,
  ): Handover | undefined;
  /** How a list is handed over. @throws `forward.unexpected-error` when policies have several ways */
  ofList(session: Session): ListHandover | undefined;
  /**
   * What the ledger is about to store: the result of `make` or, after the call to the service outside, what that service
   * was sent, provided that ledger and record are unchanged.
   *
   * @param basis the version that it rests on
   */
  once<T>(session: Session, basis: Basis, make: () => Promise<T>): Promise<T>;
}

/** A version of a record; a new record has the luid that it is to have, and change 0. */
export interface Basis {
  readonly luid: string;
  readonly change: number;
}

/**
 * An action on a record that is handed over. The first call of a method ends the session, to ask the service outside.
 */
export interface Handover {
  /** Only the service outside keeps the record: what the ledger may have under its name is ignored. */
  readonly proxied: boolean;
  /** The subject of access before the service outside has answered: only its name is known. */
  readonly subject: Subject;
  /** The name of the record there. */
  readonly id: string;
  /** Called after access has been granted. @throws `forward.unexpected-error` when policies have several ways */
  assertOneWay(): void;
  /** Sends a version that the ledger is about to store. @returns proofs to be kept with it */
  takeVersion(session: Session, version: HandedVersion): Promise<StoredProof[]>;
  /** Sends a version that only the service outside will keep. */
  answerVersion(session: Session, version: HandedVersion): Promise<Answer>;
  /** Sends a drop that the ledger is about to store. */
  takeDrop(session: Session, sent: SentDrop, signed: ClientSignature, caller: Caller): Promise<void>;
  /** Sends a drop of a record that only the service outside keeps. */
  answerDrop(session: Session, sent: SentDrop, signed: ClientSignature, caller: Caller): Promise<Answer>;
  /** Sends a proof that the ledger is about to store. @returns more proofs to be kept with it */
  takeProof(session: Session, record: RecordEnvelope, proof: StoredProof): Promise<StoredProof[]>;
  answerProof(session: Session, sent: SentProof, token: Token | undefined): Promise<Answer>;
  answerRead(session: Session, token: Token | undefined): Promise<Answer>;
}

/** A list that is handed over. */
export interface ListHandover {
  /** The list holds records of the service outside only. */
  readonly proxied: boolean;
  /** @param isSeen whether the caller may see a record, by what is known of it */
  page(session: Session, page: PageQuery, isSeen: (subject: Subject) => Promise<boolean>): Promise<ListItem[]>;
}

/** A version of a record to send to a service outside. */
export interface HandedVersion {
  /** The record's name there; absent for a new one. */
  readonly id?: string;
  /** As the client sent it; of a new record, the luid is the ledger's. */
  readonly data: JsonObject;
  readonly luid?: string;
  readonly signed: ClientSignature;
  readonly caller: Caller;
  /** As the ledger will store it; absent where only the service outside keeps it. */
  readonly record?: RecordEnvelope;
}

/** The answer to a write that only a service outside keeps, from what that service answers. */
export type AnswerFromOutside = (session: Session) => Promise<Answer>;

/**
 * Runs `work` in sessions, and asks services outside between them. The answer to a write that only such a service keeps
 * follows from what it answers, without another run.
 *
 * @throws what `work` throws, and what asking throws
 */
export type Stages = (
  session: Session,
  kind: Kind,
  command: Command,
  work: (session: Session, stage: HandOverStage) => Promise<Answer>,
) => Promise<Answer>;
