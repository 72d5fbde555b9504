import type { JsonObject, Proof, Reason } from '@countersign/protocol';
import { newKey, proofOver, signed, type TestKey } from '../../support/client.js';
import { type Scene, withSecret } from '../../support/scene.js';

/** A hash that is of nothing here. */
export const OTHER_HASH = '0123456789abcdef'.repeat(4);

/** What is wrong with a signed body, and how it is refused. */
export interface Fault {
  readonly fault: string;
  readonly body: unknown;
  readonly reason: Reason;
  readonly detail: string | RegExp;
}

type SignedBody = ReturnType<typeof signed>;

/** Faults that every signed write can have, in hash, proofs and envelope (interface/errors). */
export function envelopeFaults(body: SignedBody, key: TestKey, needsLuid: boolean): Fault[] {
  const proof = body.meta.proofs[0] as Proof;
  const withProofs = (...proofs: JsonObject[]) => ({ ...body, meta: { ...body.meta, proofs } });
  const otherKey = newKey();
  const unsigned = { reason: 'crypto.signature-missing', detail: 'Ledger mutations must be signed.' } as const;
  const forged = { reason: 'crypto.signature-invalid', detail: `Invalid signature for key: ${key.public}` } as const;
  const invalid = (detail: string) => ({
    reason: 'record.schema-invalid' as const,
    detail: `Schema validation error: ${detail}`,
  });
  const { hash: _, ...noHash } = body;
  const { data: __, ...noData } = body;
  const { meta: ___, ...noMeta } = body;
  const { luid: ____, ...noLuid } = body as SignedBody & { luid?: string };
  return [
    {
      fault: 'hash of other data',
      body: { ...body, hash: OTHER_HASH },
      reason: 'crypto.hash-invalid',
      detail: `Invalid record hash: ${OTHER_HASH}`,
    },
    { fault: 'no meta', body: noMeta, ...unsigned },
    { fault: 'no proofs', body: withProofs(), ...unsigned },
    { fault: 'proof over another hash', body: withProofs(proofOver(OTHER_HASH, key)), ...forged },
    {
      fault: 'proof altered in custom',
      body: withProofs({ ...proof, custom: { ...proof.custom, more: 1 } }),
      ...forged,
    },
    { fault: 'proof with the digest of another', body: withProofs({ ...proof, digest: OTHER_HASH }), ...forged },
    { fault: 'proof of another method', body: withProofs({ ...proof, method: 'ed25519-v1' }), ...forged },
    { fault: 'proof without result', body: withProofs({ ...proof, result: '' }), ...forged },
    {
      fault: "proof under another's key",
      body: withProofs({ ...proof, public: otherKey.public }),
      reason: 'crypto.signature-invalid',
      detail: `Invalid signature for key: ${otherKey.public}`,
    },
    { fault: 'a second proof that is forged', body: withProofs(proof, { ...proof, digest: OTHER_HASH }), ...forged },
    { fault: 'no hash', body: noHash, ...invalid("request/body must have required property 'hash'") },
    {
      fault: 'hash that is none',
      body: { ...body, hash: 'x' },
      ...invalid('request/body/hash must match pattern "^[A-Fa-f0-9]{64}$"'),
    },
    { fault: 'no data', body: noData, ...invalid("request/body must have required property 'data'") },
    {
      fault: 'unknown member',
      body: { ...body, more: 1 },
      ...invalid('request/body must NOT have additional properties'),
    },
    { fault: 'a list for a body', body: [body], ...invalid('request/body must be object') },
    {
      fault: 'no body',
      body: undefined,
      ...invalid('request/body must be object, sent as JSON with content-type: application/json'),
    },
    { fault: 'no JSON', body: '{"hash":', reason: 'api.body-malformed', detail: /./ },
    {
      fault: 'data of another type',
      body: { ...body, data: [] },
      reason: 'record.schema-invalid',
      detail: /request\/body\/data must be object/,
    },
    {
      fault: 'proofs of another type',
      body: { ...body, meta: { proofs: {} } },
      ...invalid('request/body/meta/proofs must be array'),
    },
    ...(needsLuid
      ? [{ fault: 'no luid', body: noLuid, ...invalid("request/body must have required property 'luid'") }]
      : []),
  ];
}

/** Faults in data: an unknown member, and each required one missing. Kinds of several shapes tell of each shape. */
export function dataFaults({ kind, data, maker, secret }: Scene, parent?: string): Fault[] {
  const whole: JsonObject = parent === undefined ? data : { ...data, parent };
  const required = [
    ...((kind.data.shape as { required?: string[] }).required ?? []),
    ...(parent === undefined ? [] : ['parent']),
  ];
  const text = (message: string) =>
    kind.data.alternatives
      ? new RegExp(`request/body/data ${message}`)
      : `Schema validation error: request/body/data ${message}`;
  const body = (sent: JsonObject) => withSecret(signed(sent, maker.key), secret);
  // Any shape but one is refused by its schema: that of a policy can be of the user's own making.
  const told = required.filter((member) => !(kind.name === 'policy' && member === 'schema'));
  return [
    {
      fault: 'unknown member of data',
      body: body({ ...whole, stray: 1 }),
      reason: 'record.schema-invalid',
      detail: text('must NOT have unevaluated properties'),
    },
    ...told.map((member): Fault => {
      const { [member]: _, ...rest } = whole;
      return {
        fault: `data without ${member}`,
        body: body(rest),
        reason: 'record.schema-invalid',
        detail: text(`must have required property '${member}'`),
      };
    }),
    ...(whole.handle === undefined
      ? []
      : ['', 'a b', 'a/b', 'é', '@a', 'a:', 'a@b@', '..', 'x'.repeat(256)].map((handle): Fault => {
          const limit = handle.length > 255;
          const message = limit ? 'must NOT have more than 255 characters' : 'must be a handle: ';
          const detail = new RegExp(`request/body/data/handle ${message}`);
          return {
            fault: limit ? 'a handle of 256 characters' : `the handle '${handle}'`,
            body: body({ ...whole, handle }),
            reason: 'record.schema-invalid',
            detail,
          };
        })),
  ];
}
