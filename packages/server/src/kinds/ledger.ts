import { Type } from 'typebox';
import { closed, common, Free, Handle, oneOfNames } from './data.js';
import { withoutNull } from './hashed.js';
import type { KindDeclaration } from './kind.js';

const flag = Type.Optional(Type.Boolean());

/** Dotted keys, not nesting. The known ones are typed; others are stored as sent (contract 06 §3). */
const Config = Type.Object(
  {
    'access.strategy': Type.Optional(oneOfNames(['record-based', 'policy-based'])),
    'intent.expiryThresholdMinutes': Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    'intent.creditorInitiatedTransfersEnabled': flag,
    'anchor.walletRequired': flag,
    'authentication.twoFactor.enabled': flag,
    'domain.resolutionFromHandleEnabled': flag,
    'limits.aggregated.enabled': flag,
    'policy.scheduleProcessorEnabled': flag,
    'request.journalingEnabled': flag,
    'signer.factor.oauth.allowClientCredentials': flag,
  },
  { additionalProperties: true },
);

/** A tenant (contract 01 §14). */
export const ledger: KindDeclaration = {
  name: 'ledger',
  title: 'Ledger',
  missing: 'Ledger',
  prefix: 'ldg',
  path: 'ledgers',
  only: { path: '/ledger', older: '/ledgers/:ledger' },
  data: {
    shape: closed({
      handle: Handle,
      // Who countersigns: `system`, said or not.
      signer: Type.Optional(oneOfNames(['system'])),
      custom: Type.Optional(Free),
      access: common.access,
      // The reference service shows a null where there is none, and clients send it. It is kept as it was signed.
      config: Type.Optional(Type.Union([Config, Type.Null()])),
    }),
    order: ['handle', 'signer', 'custom', 'access', 'config'],
    schemas: 'none',
    hashed: (data) => withoutNull(data, 'config'),
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
    signals: ['ledger-created', 'ledger-updated', 'ledger-proofs-added'],
  },
  links: { renamable: false },
  access: { decides: 'always', part: 'ledger' },
};
