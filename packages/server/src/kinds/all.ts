import { anchor } from './anchor.js';
import { bridge } from './bridge.js';
import { circle } from './circle.js';
import { circleSigner } from './circle-signer.js';
import type { KindDeclaration } from './declaration.js';
import { domain } from './domain.js';
import { effect } from './effect.js';
import { intent } from './intent.js';
import { ledger } from './ledger.js';
import { policy } from './policy.js';
import { reportKind } from './report.js';
import { schema } from './schema.js';
import { signer } from './signer.js';
import { signerFactor } from './signer-factor.js';
import { symbol } from './symbol.js';
import { wallet } from './wallet.js';

/** Every kind of record, in the order of the OpenAPI description. */
export const all = {
  ledger,
  signer,
  'signer-factor': signerFactor,
  domain,
  report: reportKind,
  policy,
  schema,
  effect,
  circle,
  'circle-signer': circleSigner,
  anchor,
  wallet,
  intent,
  symbol,
  bridge,
} satisfies Readonly<Record<string, KindDeclaration>>;
