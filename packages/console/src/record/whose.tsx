import type { StoredProof } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import type { OpenLedger } from '../session/open-ledger.js';
import { recordText } from '../text/record.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';

const { whose: texts } = recordText;

type Found = 'signer' | 'factor' | 'other' | 'unread';

/** Whose key has signed: what the verified records of the ledger say of it, not the name beside the proof. */
export function Whose({ proof, isByLedger }: { readonly proof: StoredProof; readonly isByLedger: boolean }) {
  const ledger = useLedger();
  const name = proof.signer;
  const isAsked = !isByLedger && typeof name === 'string';
  const found = useQuery({
    queryKey: [...scopeOf(ledger), 'whose', name, proof.public],
    queryFn: () => findOwner(ledger, String(name), proof.public),
    enabled: isAsked,
  });
  if (isByLedger) return texts.ledger;
  if (!isAsked) return texts.nobody;
  if (!found.data) return texts.checking;
  const isNamed = found.data === 'signer' || found.data === 'factor';
  return (
    <>
      {texts[found.data]}{' '}
      {isNamed && (
        <RecordLink to={{ ledger: ledger.name, kind: 'signer', id: String(name) }}>
          <Plain value={String(name)} most={80} />
        </RecordLink>
      )}
    </>
  );
}

async function findOwner({ client }: OpenLedger, name: string, key: string): Promise<Found> {
  try {
    const signer = await client.signers.get(name);
    if (signer.data.public === key) return 'signer';
    const factor = await client.signers
      .factors(name)
      .list({ filter: { 'data.public': key }, limit: 1 })
      .first();
    return factor && 'public' in factor.data && factor.data.public === key ? 'factor' : 'other';
  } catch {
    return 'unread';
  }
}
