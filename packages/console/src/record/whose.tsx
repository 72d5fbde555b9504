import type { StoredProof } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import type { OpenLedger } from '../session/open-ledger.js';
import { recordText } from '../text/record.js';
import { Plain, visible } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';

const { whose: texts } = recordText;

/** Characters of a key that stand in for a name. */
const KEY_LETTERS = 12;

type KeyOwner = 'signer' | 'factor' | 'other' | 'unread';

interface WhoseProps {
  readonly proof: StoredProof;
  readonly isByLedger: boolean;
}

/** What the verified records of the ledger say of the key of a proof; undefined while they are read, or nobody is named. */
function useOwner({ proof, isByLedger }: WhoseProps): KeyOwner | undefined {
  const ledger = useLedger();
  const name = proof.signer;
  return useQuery({
    queryKey: [...scopeOf(ledger), 'whose', name, proof.public],
    queryFn: () => findOwner(ledger, String(name), proof.public),
    enabled: !isByLedger && typeof name === 'string',
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

function isNamed(found: KeyOwner | undefined): boolean {
  return found === 'signer' || found === 'factor';
}

/** Who has signed: by name once a verified record gives the key to that signer, and by the key until then. */
export function SignerName(props: WhoseProps) {
  const found = useOwner(props);
  const { proof, isByLedger } = props;
  if (isByLedger) return recordText.ledgerProof;
  if (isNamed(found)) return <Plain value={String(proof.signer)} most={60} />;
  return <code title={String(proof.public)}>{visible(String(proof.public).slice(0, KEY_LETTERS))}…</code>;
}

/** Whose key has signed: what the verified records of the ledger say of it, not the name beside the proof. */
export function Whose(props: WhoseProps) {
  const { name: ledger } = useLedger();
  const found = useOwner(props);
  const name = props.proof.signer;
  if (props.isByLedger) return texts.ledger;
  if (typeof name !== 'string') return texts.nobody;
  if (!found) return texts.checking;
  return (
    <>
      {texts[found]}{' '}
      {isNamed(found) && (
        <RecordLink to={{ ledger, kind: 'signer', id: name }}>
          <Plain value={name} most={80} />
        </RecordLink>
      )}
    </>
  );
}

async function findOwner({ client }: OpenLedger, name: string, key: string): Promise<KeyOwner> {
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
