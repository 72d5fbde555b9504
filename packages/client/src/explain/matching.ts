import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { Asker } from './rule.js';

/** Whether a condition holds; `unknown` where only the ledger can tell, as of members of a circle. */
export type MatchVerdict = 'yes' | 'no' | 'unknown';

/** What a request carries: a write of this command has signatures, a read has a token. */
export type Credential = 'signature' | 'token';

/** Whether an asker meets the conditions of a rule (interface/access#reads-and-writes). */
export function meets(
  { signer, bearer, policy }: JsonObject,
  asker: Asker,
  credential: Credential = 'signature',
): MatchVerdict {
  if (policy !== undefined) return 'unknown';
  const [other, own] = credential === 'signature' ? [bearer, signer] : [signer, bearer];
  if (other !== undefined) return 'no';
  if (own === undefined) return 'yes';
  return meetsMatcher(own, (one) => (credential === 'signature' ? meetsSigner(one, asker) : meetsBearer(one, asker)));
}

function meetsMatcher(matcher: Json, meetsOne: (matcher: JsonObject) => MatchVerdict): MatchVerdict {
  if (!isObject(matcher)) return 'unknown';
  const { $in: several, ...rest } = matcher;
  if (several === undefined) return meetsOne(rest);
  if (!Array.isArray(several)) return 'unknown';
  const met = several.map((one) => meetsMatcher(one, meetsOne));
  const any = met.includes('yes') ? 'yes' : met.includes('unknown') ? 'unknown' : 'no';
  return conjunction([any, meetsOne(rest)]);
}

function meetsSigner(matcher: JsonObject, asker: Asker): MatchVerdict {
  return conjunction(
    Object.entries(matcher).map(([name, wanted]): MatchVerdict => {
      if (name === 'public') return compareValue(wanted, asker.public);
      if (name === 'format') return compareValue(wanted, 'ed25519-raw');
      if (name === 'handle' && asker.handles?.some((handle) => compareValue(wanted, handle) === 'yes')) return 'yes';
      if (name === '$circle') return meetsCircle(wanted, asker);
      if (name === '$record' && asker.ownsRecord !== undefined) return asker.ownsRecord;
      // Known where the record is the ledger's own, of which the owners are the same.
      if ((name === '$ledger' || name === '$record') && asker.isOwner !== undefined)
        return asker.isOwner ? 'yes' : 'no';
      return 'unknown';
    }),
  );
}

function meetsCircle(wanted: Json, { isMember }: Asker): MatchVerdict {
  const named = isObject(wanted) && Array.isArray(wanted.$in) ? wanted.$in : [wanted];
  const known = named.map((circle) => (typeof circle === 'string' ? isMember?.(circle) : undefined));
  if (known.includes(true)) return 'yes';
  return known.includes(undefined) ? 'unknown' : 'no';
}

function meetsBearer(matcher: JsonObject, asker: Asker): MatchVerdict {
  return conjunction(
    Object.entries(matcher).map(([name, wanted]): MatchVerdict => {
      if (name === '$signer') return meetsMatcher(wanted, (one) => meetsSigner(one, asker));
      // Of a token of the asker's own no other claim counts, but whether it is bound to its request.
      return name === 'hsh' ? 'unknown' : 'no';
    }),
  );
}

function compareValue(wanted: Json, value: string): MatchVerdict {
  if (!isObject(wanted)) return wanted === value ? 'yes' : 'no';
  return conjunction(
    Object.entries(wanted).map(([operator, operand]): MatchVerdict => {
      const isAmong = Array.isArray(operand) ? operand.includes(value) : operand === value;
      if (operator === '$eq' || operator === '$in') return isAmong ? 'yes' : 'no';
      if (operator === '$ne' || operator === '$nin') return isAmong ? 'no' : 'yes';
      return 'unknown';
    }),
  );
}

function conjunction(met: readonly MatchVerdict[]): MatchVerdict {
  if (met.includes('no')) return 'no';
  return met.includes('unknown') ? 'unknown' : 'yes';
}
