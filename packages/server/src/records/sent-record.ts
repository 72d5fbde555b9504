import type { JsonObject } from '@countersign/protocol';

/** A proof as a client sends it. One that lacks all signing members is partial (interface/tokens#token-only-writes). */
export interface SentProof {
  readonly method?: string;
  readonly public?: string;
  readonly digest?: string;
  readonly result?: string;
  readonly custom?: JsonObject & { readonly status?: string | null; readonly domain?: string };
}

export interface SentRecord {
  readonly hash: string;
  readonly luid?: string;
  readonly data: JsonObject;
  readonly meta?: { readonly proofs?: readonly SentProof[]; readonly secret?: Readonly<Record<string, string>> };
}

export type SentDrop = SentRecord & { readonly luid: string };
