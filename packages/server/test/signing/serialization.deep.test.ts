import { type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { commitmentOf } from '@countersign/protocol/log';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { createMac, versionKeyOf } from '../../src/integrity/mac.js';
import type { SerializedVersions, UnsignedRecord } from '../../src/signing/serialization.js';
import { type Signing, startSigning, type UnsignedRecords } from '../../src/signing/signing.js';

const HASH = 'ef'.repeat(32);
const MASTER = Buffer.alloc(32, 9);
const LEDGER = { id: 7, luid: '$ldg.seven' };
const SALT = 16;

const signers = ['system', 'core'].map((handle, at) => {
  const secret = new Uint8Array(32).fill(at + 1);
  return { handle, secret, public: Buffer.from(native.publicKey(secret)).toString('base64') };
});

/** A byte in turn, so that no two salts are the same. */
function counting(): (bytes: number) => Uint8Array {
  let drawn = 0;
  return (bytes) => Uint8Array.from({ length: bytes }, () => drawn++ % 251);
}

const mac = createMac(MASTER);

/** A record that begins with a proof of a client, and gets versions with proofs: how many each adds, and what they say. */
function record(name: string, customs: readonly (readonly JsonObject[])[], before = 0): UnsignedRecord {
  const client = {
    custom: { name: `${name} 𝄞` },
    digest: HASH,
    method: 'ed25519-v2',
    public: 'a client',
    result: 'signed',
  };
  const begin = JSON.stringify({
    hash: HASH,
    data: { handle: name },
    luid: `$int.${name}`,
    meta: { proofs: [client] },
  });
  let added = 0;
  return {
    luid: `$int.${name}`,
    hash: HASH,
    begin: begin.slice(0, -3),
    added: customs.flat().map((custom, at) => ({ signer: at % 2, custom, isBare: at % 3 === 2 })),
    versions: customs.map((own, at) => {
      added += own.length;
      return { change: before + at + 1, proofCount: added, rest: `],"status":"${at}"}}` };
    }),
  };
}

const unsignedOf = (records: readonly UnsignedRecord[]): UnsignedRecords => ({
  ledger: LEDGER,
  kind: 'intent',
  signers,
  records,
});

/** What PostgreSQL makes of a cut: characters, not units of UTF-16. */
const whole = (text: string, cut: number, rest: string) => [...text].slice(0, cut).join('') + rest;

/** Sees that versions are what was asked for, by means of their own. @returns the salts of their leaves */
function check(unsigned: UnsignedRecord, serialized: SerializedVersions | Error): string[] {
  if (serialized instanceof Error) throw serialized;
  const { text, cuts, macs, leaves } = serialized;
  const last = JSON.parse(text) as RecordEnvelope;
  const [client, ...own] = last.meta.proofs;
  expect(client?.public).toBe('a client');
  expect(own).toHaveLength(unsigned.added.length);
  for (const [at, proof] of own.entries()) {
    const { signer, custom, isBare } = unsigned.added[at]!;
    expect(verifyProof(HASH, proof)).toBe(true);
    const { handle, public: key } = signers[signer]!;
    const named = isBare ? {} : { origin: 'key-pair', signer: handle };
    expect(proof).toEqual({
      custom,
      digest: proof.digest,
      method: 'ed25519-v2',
      public: key,
      result: proof.result,
      ...named,
    });
  }
  const bytes = Buffer.from(leaves, 'base64');
  const { length } = unsigned.versions;
  expect([cuts.length, macs.length, leaves.length]).toEqual([length, length, 64 * length]);
  return unsigned.versions.map(({ change, proofCount, rest }, at) => {
    const body = whole(text, cuts[at]!, rest);
    const { meta } = JSON.parse(body) as RecordEnvelope;
    expect(meta).toEqual({ proofs: last.meta.proofs.slice(0, 1 + proofCount), status: String(at) });
    const action = change === 1 ? ('create' as const) : ('update' as const);
    expect(macs[at]).toBe(mac({ ledger: LEDGER.id, kind: 'intent' }, { luid: unsigned.luid, change, action, body }));
    const leaf = bytes.subarray(at * 48, (at + 1) * 48);
    const salt = leaf.subarray(0, SALT);
    const fields = { salt, ledger: LEDGER.luid, kind: 'intent', luid: unsigned.luid, change, action, text: body };
    expect(leaf.subarray(SALT)).toEqual(Buffer.from(commitmentOf(fields)));
    return salt.toString('hex');
  });
}

/** Sees that all records are what was asked for, and that no two leaves have the same salt. */
function checkAll(records: readonly UnsignedRecord[], serialized: readonly (SerializedVersions | Error)[]): void {
  expect(serialized).toHaveLength(records.length);
  const salts = records.flatMap((one, at) => check(one, serialized[at]!));
  expect(new Set(salts).size).toBe(salts.length);
  expect(salts).not.toContain('00'.repeat(SALT));
}

const custom = fc.dictionary(
  fc.constantFrom('moment', 'status', 'detail', 'result', '__proto__', 'ä', '1'),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant('"result":""')),
) as fc.Arbitrary<JsonObject>;
const records = fc
  .array(fc.tuple(fc.array(fc.array(custom, { maxLength: 3 }), { minLength: 1, maxLength: 5 }), fc.nat({ max: 3 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) => all.map(([customs, before], at) => record(`r${at}`, customs, before)));

const MANY = Array.from({ length: 20 }, (_, at) =>
  record(`m${at}`, [[{ at }, { at, name: '𝄞' }], [{ status: 'prepared' }], [], [{ at: 3 }, { at: 4 }]]),
);

describe('versions that are serialized', () => {
  let signing: Signing;
  beforeAll(async () => {
    const ended = (error: Error) => {
      throw error;
    };
    signing = await startSigning({ versionKey: versionKeyOf(MASTER), random: counting(), ended });
  });
  afterAll(() => signing.close());

  it('are those that were decided on, with proofs, codes and leaves that verify', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (all) => checkAll(all, await signing.serialize(unsignedOf(all)))),
      { numRuns: 60 },
    );
  });

  it('are refused one by one', async () => {
    const bad = record('bad', [[{ name: '\ud800' }]]);
    const all = [MANY[0]!, bad, MANY[1]!];
    const [first, refused, last] = await signing.serialize(unsignedOf(all));
    expect(refused).toBeInstanceOf(Error);
    checkAll([MANY[0]!, MANY[1]!], [first!, last!]);
  });

  it('of much text are asked for in turn with what others ask for', async () => {
    const order: string[] = [];
    const long = 'ä𝄞'.repeat(500_000);
    const all = Array.from({ length: 4 }, (_, at) => record(`l${at}`, [[{ at }], [{ at: 1 }]]));
    const large = all.map((one) => ({ ...one, begin: one.begin.replace('"handle":"', `"handle":"${long}`) }));
    const serialized = signing.serialize(unsignedOf(large)).then((made) => {
      order.push('large');
      return made;
    });
    const small = signing.serialize(unsignedOf(MANY)).then((made) => {
      order.push('small');
      return made;
    });
    checkAll(MANY, await small);
    checkAll(large, await serialized);
    expect(order).toEqual(['small', 'large']);
  });

  it('are none where none are asked for', async () => {
    expect(await signing.serialize(unsignedOf([]))).toEqual([]);
  });
});
