import { parseAddress } from '@countersign/protocol';
import { openSession, type Session } from '../ledgers/session.js';
import { readRecordText } from '../metering/task.js';
import { domainsAbove, domainsOfSigner, type Provider, providersOf, vouchesFor } from './providers.js';
import { isProviderKey, isUsable } from './usable.js';

/**
 * The key that RS256 tokens of `issuer` with this `kid` are signed with, if the ledger trusts it
 * (interface/tokens#provider-tokens): a key-pair factor of format `rsa-der`, in use, of a signer that is in use and
 * that an authentication policy names.
 *
 * Looked up for every request, so that a drop of the factor or the policy counts for the next one.
 *
 * @param session its ledger may be out of date: policies are read from the renewed one
 * @param issuer the claim `iss`; the factor must be this signer's
 * @param subject the claim `sub`: a policy in a domain trusts its provider about signers there and below only
 */
export async function findTrustedFactor(
  session: Session,
  kid: string,
  issuer: string,
  subject: unknown,
): Promise<{ readonly public: string; readonly signer: string } | undefined> {
  const [factor, provider] = await Promise.all([
    session.store.findVersion({ ledger: session.ledger.id, kind: 'signer-factor', id: kid, by: 'handle' }),
    session.store.findVersion({ ledger: session.ledger.id, kind: 'signer', id: issuer, by: 'handle' }),
  ]);
  if (!factor.record || !provider.record) return undefined;
  // An RSA signature is verified with it.
  await session.task.turn();
  const key = await readRecordText(session.task, factor.record.body);
  const signer = await readRecordText(session.task, provider.record.body);
  if (!isProviderKey(key) || !isUsable(key) || !isUsable(signer)) return undefined;
  const current = await session.ledgers.renew(session.ledger, Math.max(factor.version, provider.version));
  if (key.data.signer !== issuer) return undefined;
  const named = providersOf(current).filter(({ handle }) => handle === issuer);
  if (!(await isTrusted(openSession(session, current), named, signer.meta.domain, subject))) return undefined;
  return { public: String(key.data.public), signer: issuer };
}

/** Whether one of the policies that name the provider lets it speak about the subject. */
async function isTrusted(
  session: Session,
  named: readonly Provider[],
  domain: string | undefined,
  subject: unknown,
): Promise<boolean> {
  if (named.some((one) => one.domain === undefined)) return true;
  if (named.length === 0 || typeof subject !== 'string' || !parseAddress(subject)) return false;
  const signer = await domainsOfSigner(session, subject);
  const provider = domainsAbove(session.ledger, domain);
  return named.some((one) => vouchesFor(one, { provider, signer }));
}
