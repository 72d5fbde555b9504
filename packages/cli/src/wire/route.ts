import { DESCRIPTION } from '@countersign/client/description';

/** What a signed request is for; what becomes of its body follows from it. */
export type WritePurpose = 'create' | 'update' | 'drop' | 'erase' | 'proof' | 'question';

/** What a path and a method say of a write. */
export interface WriteRoute {
  readonly purpose: WritePurpose;
  /** Path of the record that an update, drop or proof is about. */
  readonly record: string;
  /** The kind that proofs name as `custom.record`; undefined for a path that is no kind's. */
  readonly kind: string | undefined;
  /** The ledger that the path names by itself (`/ledgers/{ledger}`). */
  readonly ledger: string | undefined;
  /** Whether the path is outside of ledgers, so that the data names the new one. */
  readonly isOutside: boolean;
}

/** Kinds by the collections of their paths: `wallets`, `signers/factors`; and `ledger`, which each ledger has one of. */
const KIND_OF_PATH: ReadonlyMap<string, string> = new Map(
  DESCRIPTION.flatMap(({ record, path, item }) => [path, item].map((one) => [collectionsOf(one), record] as const)),
);

function collectionsOf(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
    .join('/');
}

/** Last segments of what is asked or ordered about a record, without a new version of it. */
const QUESTIONS = [
  /\/access\/!check$/,
  /\/anchors\/!lookup$/,
  /\/events\/retry$/,
  /\/(effects|bridges)\/[^/]+\/activate$/,
];

/**
 * What is to be signed for a request.
 *
 * @param path below the base URL, percent-encoded, without a query
 * @returns undefined where nothing is signed
 */
export function routeOf(method: string, path: string): WriteRoute | undefined {
  // A client may encode what needs no encoding: `%21check`.
  const clean = path.replace(/\/+$/, '').replaceAll('%21', '!');
  const purpose = purposeOf(method, clean);
  if (purpose === undefined) return undefined;
  const [first = '', id, below = ''] = clean.slice(1).split('/');
  return {
    purpose,
    record: purpose === 'proof' || purpose === 'drop' ? clean.replace(/\/(proofs|sign|drop)$/, '') : clean,
    kind: KIND_OF_PATH.get(`${first}/${below}`) ?? KIND_OF_PATH.get(first),
    ledger: first === 'ledgers' && id ? decodeSegment(id) : undefined,
    isOutside: clean === '/ledgers',
  };
}

/** The record that a path names, and the record above it; the ledger's own record has no name there. */
export function idIn(path: string): { readonly id: string | undefined; readonly parent: string | undefined } {
  const [, above, below, id] = path.slice(1).split('/');
  if (below === undefined || id === undefined) return { id: above && decodeSegment(above), parent: undefined };
  return { id: decodeSegment(id), parent: above && decodeSegment(above) };
}

function purposeOf(method: string, path: string): WritePurpose | undefined {
  if (path === '/oauth/token') return undefined;
  if (method === 'PUT') return 'update';
  if (method === 'DELETE') return 'drop';
  if (method !== 'POST') return undefined;
  if (QUESTIONS.some((pattern) => pattern.test(path))) return 'question';
  if (/\/proofs$/.test(path) || /^\/intents\/[^/]+\/sign$/.test(path)) return 'proof';
  // Three segments at least: `POST /wallets/drop` is no route.
  if (/^\/[^/]+\/[^/]+.*\/drop$/.test(path)) return 'drop';
  if (/^\/[^/]+\/[^/]+.*\/erase$/.test(path)) return 'erase';
  return 'create';
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
