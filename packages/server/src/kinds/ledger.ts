import { Type } from 'typebox';
import { common, dataLimits, Free, Handle, oneOfNames, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';
import { withoutNull } from './hashed-forms.js';

/** Audiences of tokens. */
export const audienceLimits = {
  /** Audiences that a ledger takes. */
  count: 32,
} as const;

const flag = Type.Optional(Type.Boolean());

/** Flat, dotted keys. The known ones are typed; others are stored as sent (interface/ledgers#configuration). */
const LedgerConfig = Type.Object(
  {
    'access.strategy': Type.Optional(oneOfNames(['record-based', 'policy-based'])),
    'intent.expiryThresholdMinutes': Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    'intent.creditorInitiatedTransfersEnabled': flag,
    'anchor.walletRequired': flag,
    'authentication.twoFactor.enabled': flag,
    'domain.resolutionFromHandleEnabled': flag,
    'limits.aggregated.enabled': flag,
    log: Type.Optional(oneOfNames(['open', 'members', 'closed'])),
    'policy.scheduleProcessorEnabled': flag,
    'proof.ledgerRequired': flag,
    'request.journalingEnabled': flag,
    'signer.factor.oauth.allowClientCredentials': flag,
    'token.audiences': Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: dataLimits.url }), {
        minItems: 1,
        maxItems: audienceLimits.count,
      }),
    ),
  },
  { additionalProperties: true },
);

/** A tenant (interface/ledgers). */
export const ledger: KindDeclaration = {
  name: 'ledger',
  about: 'A tenant: its own records, rules, keys and history.',
  title: 'Ledger',
  missing: 'Ledger',
  prefix: 'ldg',
  path: 'ledgers',
  only: { path: '/ledger', older: '/ledgers/:ledger' },
  data: {
    shape: strictObject({
      handle: Handle,
      // The countersigner is always `system`.
      signer: Type.Optional(oneOfNames(['system'])),
      custom: Type.Optional(Free),
      access: common.access,
      // The reference service shows a null for an absent `config`, and clients send it back. It is stored as it was
      // signed.
      config: Type.Optional(Type.Union([LedgerConfig, Type.Null()])),
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
  access: { bumpsRules: 'always', part: 'ledger' },
};
