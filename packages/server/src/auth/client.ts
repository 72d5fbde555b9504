import { hash as digest, timingSafeEqual } from 'node:crypto';
import type { RecordEnvelope } from '@countersign/protocol';
import { handleLimits } from '../base/handle.js';
import { secretNames } from '../kinds/data.js';
import { clientLink } from '../kinds/signer-factor.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { readRecordText } from '../metering/task.js';
import { secretValues } from './secret-values.js';
import { isUsable } from './usable.js';

/** The factor behind a client id, before its secret is checked. */
export interface ClientCandidate {
  /** Absent for an unknown client id. */
  readonly factor?: RecordEnvelope;
  /** The secret expected of the client; absent when the factor holds none. */
  readonly secret?: string;
}

/** A client that tokens may be made for. */
export interface Client {
  /** Handle of its oauth-client-credentials factor. */
  readonly factor: string;
  /** Handle of its signer. */
  readonly signer: string;
  /** `data.schema` of its signer. */
  readonly schema?: string;
  /** The domain that its signer is in. */
  readonly domain?: string;
}

/**
 * The factor with this client id; of several, the one that took it first. An unknown id costs the same queries and one
 * secret's cipher, so that the response time does not tell which ids exist.
 *
 * @param id as sent
 */
export async function candidateFor(session: Session, id: string): Promise<ClientCandidate> {
  const isOne = id.length <= handleLimits.characters && !id.includes('\u0000');
  const query = { ledger: session.ledger.id, kind: 'signer-factor', link: clientLink(isOne ? id : '') } as const;
  const body = await session.store.linked.first(query);
  const factor = body === undefined ? undefined : await readRecordText(session.task, body);
  const secrets = await session.store.secrets({ ledger: session.ledger.id, luid: factor?.luid ?? '' });
  if (!factor) {
    session.keys.seal(Buffer.alloc(handleLimits.characters), '');
    return {};
  }
  const [name = ''] = secretNames([factor.data.clientSecret]);
  const secret = secretValues(session, factor.luid, secrets).get(name);
  return { factor, secret };
}

/** Whether `secret` is the candidate's. Takes the same time for every wrong secret, and when the candidate has none. */
export function knowsSecret(candidate: ClientCandidate, secret: string): boolean {
  const equal = timingSafeEqual(digestOfSecret(candidate.secret ?? ''), digestOfSecret(secret));
  return candidate.secret !== undefined && equal;
}

function digestOfSecret(text: string): Buffer {
  return digest('sha256', text, 'buffer');
}

/**
 * The client of a factor whose secret was checked, and the ledger at its current version. `client` is absent when the
 * factor or its signer is out of use (interface/tokens#token-endpoint).
 */
export async function findClient(
  session: Session,
  factor: RecordEnvelope,
): Promise<{ readonly client?: Client; readonly ledger: Ledger }> {
  const handle = String(factor.data.signer);
  const found = await session.store.findVersion({
    ledger: session.ledger.id,
    kind: 'signer',
    id: handle,
    by: 'handle',
  });
  const current = await session.ledgers.renew(session.ledger, found.version);
  const signer = found.record && (await readRecordText(session.task, found.record.body));
  if (!signer || !isUsable(signer) || !isUsable(factor)) return { ledger: current };
  const { schema } = signer.data;
  const client = { factor: String(factor.data.handle), signer: handle, domain: signer.meta.domain };
  return { ledger: current, client: typeof schema === 'string' ? { ...client, schema } : client };
}
