import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import type { Token } from '../auth/token.js';
import type { Signed } from '../authorization/trail.js';
import type { Item } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import type { PageQuery } from '../lists/page.js';
import type { Answer, Command } from '../records/command.js';
import type { SentDrop, SentProof } from '../records/sent.js';
import type { Stored } from '../records/stored.js';

/** What policies can hand to a service outside (interface/forwarding). */
export type HandedAction = 'read' | 'query' | 'create' | 'update' | 'drop' | 'sign';

/**
 * The stage of an operation in which policies may hand it to a service outside: the port that operations know of it. It
 * is decided in a session, handed over outside of every session, and all is checked again in a new one before anything is
 * committed.
 */
export interface Stage {
  /** Whether any policy hands the action over; where none does, nothing else is looked at. */
  isHanded(session: Session, action: HandedAction): boolean;
  /** How a new record is handed over. @throws `forward.unexpected-error` when policies have several ways */
  ofNew(session: Session, subject: Subject): Handover | undefined;
  /**
   * How an action on the record of the command is handed over.
   *
   * @param found the ledger's own; none where at most the service outside has it
   * @param data what an update would make of a record that only the service outside has
   */
  ofRecord(session: Session, action: HandedAction, found: Stored | undefined, data?: JsonObject): Handover | undefined;
  /** How a list is handed over. @throws `forward.unexpected-error` when policies have several ways */
  ofList(session: Session): ListHandover | undefined;
  /**
   * Makes what the ledger is about to keep. After the service outside was asked this is what it was told, unless the ledger
   * or the record has changed meanwhile.
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

/** An action on a record that is handed over. Each method ends the session, the first time, to ask the service outside. */
export interface Handover {
  /** Only the service outside keeps the record: then nothing of what the ledger may have of it counts. */
  readonly proxied: boolean;
  /** What access is decided on before the service outside has answered: no more than the name is known. */
  readonly subject: Subject;
  /** The name of the record there. */
  readonly id: string;
  /** Asked after access has been granted. @throws `forward.unexpected-error` when policies have several ways */
  assertOneWay(): void;
  /** Has a version taken that the ledger is about to store. @returns proofs to be kept with it */
  takeVersion(session: Session, version: HandedVersion): Promise<StoredProof[]>;
  /** Has a version taken that the ledger does not store. */
  answerVersion(session: Session, version: HandedVersion): Promise<Answer>;
  takeDrop(session: Session, sent: SentDrop, signed: Signed, caller: Caller): Promise<void>;
  /** Has a proof taken that the ledger is about to store. @returns more proofs to be kept with it */
  takeProof(session: Session, record: RecordEnvelope, proof: StoredProof): Promise<StoredProof[]>;
  answerProof(session: Session, sent: SentProof, token: Token | undefined): Promise<Answer>;
  answerRead(session: Session, token: Token | undefined): Promise<Answer>;
}

/** A list that is handed over. */
export interface ListHandover {
  /** The ledger's own records are not listed at all. */
  readonly proxied: boolean;
  /** @param isSeen whether the caller may see what is known of a record */
  page(session: Session, page: PageQuery, isSeen: (subject: Subject) => Promise<boolean>): Promise<Item[]>;
}

/** A version of a record that a service outside is asked to take. */
export interface HandedVersion {
  /** The record's name there; absent for a new one. */
  readonly id?: string;
  /** As the client sent it; of a new record, the luid is the ledger's. */
  readonly data: JsonObject;
  readonly luid?: string;
  readonly signed: Signed;
  readonly caller: Caller;
  /** As the ledger will keep it; absent where it keeps nothing. */
  readonly record?: RecordEnvelope;
}

/**
 * Runs `work` in sessions, and asks services outside between them.
 *
 * @throws what `work` throws, and what asking throws
 */
export type Stages = <T>(
  session: Session,
  kind: Kind,
  command: Command,
  work: (session: Session, stage: Stage) => Promise<T>,
) => Promise<T>;
