import { isLuid, isObject, type Json } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Ledger } from './ledger.js';

/** What becomes known of a client's request while it is answered, for the access log and the journal of its ledger. */
export interface RequestFacts {
  /** Handle of its ledger. */
  ledger?: string;
  /** Whether that keeps a journal. */
  isJournaled?: true;
  /** What its body has under these names, well-formed. */
  sent?: { readonly hash?: string; readonly luid?: string };
  /** Luid of the record whose secrets the answer shows. */
  revealed?: string;
  who?: Who;
  /** Whether the last decision on access granted it; absent where none was made. */
  granted?: boolean;
  /** The reason of the error that answers it. */
  reason?: string;
}

/** The caller of a request. */
export interface Who {
  /** Handle of the signer that its key stands for. */
  readonly signer?: string;
  /** Its public key. */
  readonly key?: string;
  /** Whether that is the key of a factor of the signer. */
  readonly isFactor?: true;
}

/** Whether the server lets ledgers keep journals. */
interface JournalSetting {
  readonly keepsJournals: boolean;
}

/** Whether a ledger keeps a journal of its requests (interface/journal). */
export function isJournaled({ keepsJournals }: JournalSetting, { config }: Pick<Ledger, 'config'>): boolean {
  return keepsJournals && config['request.journalingEnabled'] === true;
}

/** Notes the ledger of a request, and whether it keeps a journal: the request that ends one is in it. */
export function noteLedger(facts: RequestFacts, service: JournalSetting, ledger: Ledger): void {
  facts.ledger = ledger.handle;
  if (isJournaled(service, ledger)) facts.isJournaled = true;
}

/** Notes who calls: for whom the token stands, else the first proof of a signer. */
export function noteCaller(facts: RequestFacts | undefined, { token, proofs }: Caller): void {
  if (!facts) return;
  const key = token?.key ?? proofs.find(({ signer }) => signer !== undefined) ?? proofs[0];
  if (!key) return;
  const { signer, retired, public: shown } = key;
  const handle = signer?.handle ?? retired;
  facts.who = {
    ...(handle === undefined ? {} : { signer: handle }),
    ...(shown === undefined ? {} : { key: shown }),
    ...(signer && shown !== undefined && shown !== signer.public ? { isFactor: true } : {}),
  };
}

/** Notes whether rules grant what is asked. @returns it */
export function noteDecision(facts: RequestFacts | undefined, granted: boolean): boolean {
  if (facts) facts.granted = granted;
  return granted;
}

const HASH = /^[A-Fa-f0-9]{64}$/;

/** Notes by what a body names a record. */
export function noteBody(facts: RequestFacts | undefined, body: Json | undefined): void {
  if (!facts || !isObject(body)) return;
  const { hash, luid } = body;
  facts.sent = {
    ...(typeof hash === 'string' && HASH.test(hash) ? { hash } : {}),
    ...(typeof luid === 'string' && isLuid(luid) ? { luid } : {}),
  };
}
