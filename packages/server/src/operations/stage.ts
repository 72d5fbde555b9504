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

/** Actions that policies can hand over to a bridge (interface/forwarding). */
export type HandoverAction = 'read' | 'query' | 'create' | 'update' | 'drop' | 'sign';

/**
 * The port through which an operation hands its action over to a bridge, where policies say so. The decision is made in a
 * session and the call outside of every session; before the commit, everything is checked again in a new session. A write that
 * only the bridge keeps has no commit, and is decided once.
 */
export interface HandoverStage {
  /** Whether any policy hands the action over: a cheap test that comes first. */
  handsOver(session: Session, action: HandoverAction): boolean;
  /** How a new record is handed over. @throws `forward.unexpected-error` when policies have several ways */
  ofNew(session: Session, subject: Subject): Handover | undefined;
  /**
   * How an action on the record of the command is handed over.
   *
   * @param found the ledger's own record; undefined where at most the bridge has it
   * @param data what an update would make of a record that only the bridge has
   */
  ofRecord(
    session: Session,
    action: HandoverAction,
    found: StoredRecord | undefined,
    data?: JsonObject,
  ): Handover | undefined;
  /** How a list is handed over. @throws `forward.unexpected-error` when policies have several ways */
  ofList(session: Session): ListHandover | undefined;
  /**
   * What the ledger is about to store: the result of `make` or, after the call of the bridge, what the bridge was sent,
   * provided that ledger and record are unchanged.
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

/** An action on a record that is handed over. The first call of a method ends the session, to ask the bridge. */
export interface Handover {
  /** Only the bridge keeps the record: what the ledger may have under its name is ignored. */
  readonly proxied: boolean;
  /** The subject of access before the bridge has answered: only its name is known. */
  readonly subject: Subject;
  /** The name of the record there. */
  readonly id: string;
  /** Called after access has been granted. @throws `forward.unexpected-error` when policies have several ways */
  assertOneWay(): void;
  /** Sends a version that the ledger is about to store. @returns proofs to be kept with it */
  takeVersion(session: Session, version: HandoverVersion): Promise<StoredProof[]>;
  /** Sends a version that only the bridge will keep. */
  answerVersion(session: Session, version: HandoverVersion): Promise<Answer>;
  /** Sends a drop that the ledger is about to store. */
  takeDrop(session: Session, sent: SentDrop, signed: ClientSignature, caller: Caller): Promise<void>;
  /** Sends a drop of a record that only the bridge keeps. */
  answerDrop(session: Session, sent: SentDrop, signed: ClientSignature, caller: Caller): Promise<Answer>;
  /** Sends a proof that the ledger is about to store. @returns more proofs to be kept with it */
  takeProof(session: Session, record: RecordEnvelope, proof: StoredProof): Promise<StoredProof[]>;
  answerProof(session: Session, sent: SentProof, token: Token | undefined): Promise<Answer>;
  answerRead(session: Session, token: Token | undefined): Promise<Answer>;
}

/** A list that is handed over. */
export interface ListHandover {
  /** The list holds records of the bridge only. */
  readonly proxied: boolean;
  /** @param isSeen whether the caller may see a record, by what is known of it */
  page(session: Session, page: PageQuery, isSeen: (subject: Subject) => Promise<boolean>): Promise<ListItem[]>;
}

/** A version of a record to send to a bridge. */
export interface HandoverVersion {
  /** The record's name there; absent for a new one. */
  readonly id?: string;
  /** As the client sent it; of a new record, the luid is the ledger's. */
  readonly data: JsonObject;
  readonly luid?: string;
  readonly signed: ClientSignature;
  readonly caller: Caller;
  /** As the ledger will store it; absent where only the bridge keeps it. */
  readonly record?: RecordEnvelope;
}

/** Makes the answer to a write that only a bridge keeps, from what the bridge has answered. */
export type AnswerFromBridge = (session: Session) => Promise<Answer>;

/**
 * Runs `work` in sessions, and asks bridges between them. The answer to a write that only a bridge keeps follows from what the
 * bridge answers, without another run.
 *
 * @throws what `work` throws, and what asking throws
 */
export type Stages = (
  session: Session,
  kind: Kind,
  command: Command,
  work: (session: Session, stage: HandoverStage) => Promise<Answer>,
) => Promise<Answer>;
