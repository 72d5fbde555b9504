import { anchor } from './anchor.js';
import { bridge } from './bridge.js';
import { circle } from './circle.js';
import { circleSigner } from './circle-signer.js';
import { domain } from './domain.js';
import { effect } from './effect.js';
import { intent } from './intent.js';
import type { Kind, KindDeclaration, KindName } from './kind.js';
import { ledger } from './ledger.js';
import { policy } from './policy.js';
import { report } from './report.js';
import { schema } from './schema.js';
import { signer } from './signer.js';
import { signerFactor } from './signer-factor.js';
import { symbol } from './symbol.js';
import { wallet } from './wallet.js';

const declared: Readonly<Record<KindName, KindDeclaration>> = {
  ledger,
  signer,
  'signer-factor': signerFactor,
  domain,
  report,
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
};

/** Every kind of record there is. */
export const kinds: readonly Kind[] = Object.values(declared).map(complete);

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** The kind called `name`. */
export function kindNamed(name: KindName): Kind {
  return byName.get(name)!;
}

function complete(declaration: KindDeclaration): Kind {
  const { links = {}, access = { decides: 'never' }, filters = {}, secrets = {}, trail = {}, ...own } = declaration;
  return { ...own, links, access, filters, secrets, trail };
}
