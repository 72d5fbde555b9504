export type { Collection } from './collection.js';
export { type Circles, connect, type Intents, type Ledger, type Signers, systemKeyOf } from './connect.js';
export {
  AnswerError,
  type AnyRefusal,
  type Fault,
  isRefusal,
  Refusal,
  type RefusalCustom,
  TokenError,
  UnreachableError,
} from './errors.js';
export type { RecordName } from './generated/kinds.js';
export type * from './generated/operations.js';
export { fromCryptoKey, fromJwk, fromPem, fromSeed, type Jwk, type KeyPair, newSeed, type Signer } from './keys.js';
export type * from './options.js';
export type { PageOf, Pages } from './pages.js';
export type { Signed } from './shape.js';
export type { ClientCredentials, SelfSigned, TokenRequest, TokenSource } from './token-source.js';
