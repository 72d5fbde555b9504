import { describe, expect, it } from 'vitest';
import { createVeil, veilKeyOf } from '../../src/integrity/veil.js';
import { singleKey } from '../../src/keys/keyring.js';
import { seal, sealContext } from '../../src/keys/seal.js';

const use = '0123456789abcdef0123456789abcdef';
const LEDGER = '$ldg.AAAAAAAAAAAAAAAAA';
const MASTER = Buffer.alloc(32, 1);

const veilOf = (masterKey: Buffer, ledger = LEDGER, sealed?: Buffer) =>
  createVeil(veilKeyOf(singleKey(masterKey), ledger, sealed))(use);

describe('the name of a proof of an erased record', () => {
  it('is the same each time, and another under another key', () => {
    expect(veilOf(MASTER)).toMatch(/^[0-9a-f]{32}$/);
    expect(veilOf(MASTER)).toBe(veilOf(MASTER));
    expect(veilOf(Buffer.alloc(32, 2))).not.toBe(veilOf(MASTER));
    expect(veilOf(MASTER)).not.toBe(use);
  });

  it('is another in each ledger, so that nobody compares it with guesses of their own', () => {
    expect(veilOf(MASTER, '$ldg.BBBBBBBBBBBBBBBBB')).not.toBe(veilOf(MASTER));
  });

  it('is the same in a deployment that the ledger has come to with its key', () => {
    const other = Buffer.alloc(32, 2);
    const key = veilKeyOf(singleKey(MASTER), LEDGER, undefined);
    const sealed = seal(other, key, sealContext(LEDGER, LEDGER, 'veil'));
    expect(veilOf(other, LEDGER, sealed)).toBe(veilOf(MASTER));
    expect(() => veilOf(other, '$ldg.BBBBBBBBBBBBBBBBB', sealed)).toThrow('does not open');
  });
});
