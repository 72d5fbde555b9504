import { hash, verifyProof } from '@countersign/protocol';

/** A call that the ledger has not signed, or that contradicts what it is about. */
export class CallError extends Error {}

/**
 * Verifies a call of the ledger, and gives its data.
 *
 * @param key of the ledger, base64
 * @param path below the bridge's server
 * @throws CallError
 */
export function verifyCall(path, body, key) {
  const [, side, handle, action] = path.split('/');
  const data = verifyData(body, key);
  if (handle !== undefined) {
    if (data.handle !== handle || data.action !== action) throw new CallError('The body is of another call');
    return data;
  }
  const schema = side === 'debits' ? 'debit' : 'credit';
  const prefix = schema === 'debit' ? 'deb_' : 'cre_';
  if (data.schema !== schema || !String(data.handle).startsWith(prefix))
    throw new CallError('The entry is of the other side');
  verifyEntry(data);
  return data;
}

function verifyData(body, key) {
  const { hash: said, data, meta } = body ?? {};
  if (!data || hash(data) !== said) throw new CallError('The hash is not that of the data');
  const isSigned = meta?.proofs?.some((proof) => proof.public === key && verifyProof(said, proof));
  if (!isSigned) throw new CallError('The ledger has not signed it');
  const { intent } = data;
  if (!intent || hash(intent.data) !== intent.hash) throw new CallError('The intent has another hash');
  // What the ledger signs with a bare moment could be another message: an entry is told by its handle and its intent.
  if (!/^(deb|cre)_[A-Za-z0-9]{17}$/.test(data.handle)) throw new CallError('It is about no entry');
  return data;
}

/** The claims of the intent, which its owner has signed, must say what the entry says. */
function verifyEntry({ inputs, amount, symbol, intent }) {
  const claims = inputs.map((index) => intent.data.claims[index]);
  const sum = claims.reduce((total, claim) => total + claim.amount, 0);
  const named = (value) => (typeof value === 'string' ? value : value.handle);
  const isSame = claims.every((claim) => claim.action === 'transfer' && named(claim.symbol) === symbol.handle);
  if (sum !== amount || !isSame) throw new CallError('The entry differs from its claims');
}
