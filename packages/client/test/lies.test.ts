import { hash } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/index.js';
import { makeLedger } from './support/ledger.js';
import type { Lie } from './support/liar.js';
import { forged, withLiar } from './support/lying-scene.js';

const scene = withLiar();

describe('a record', () => {
  const get = () => scene.ledger.wallets.get('shop');

  it('without a lie is taken', async () => {
    expect((await get()).data.handle).toBe('shop');
  });

  it('with other data, or another hash', async () => {
    expect(
      await scene.found(({ body }) => {
        body.data.custom.tier = 'gold';
      }, get),
    ).toBe('hash');
    expect(
      await scene.found(({ body }) => {
        body.hash = hash({});
      }, get),
    ).toBe('hash');
    // The hash is made to fit, and the proofs no longer do.
    const refitted: Lie = ({ body }) => {
      body.data.custom.tier = 'gold';
      body.hash = hash(body.data);
    };
    expect(await scene.found(refitted, get)).toBe('proof');
  });

  it('without proofs, without the proof of the ledger, with a broken one', async () => {
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs = [];
      }, get),
    ).toBe('key');
    expect(
      await scene.found(({ body }) => {
        delete body.meta.proofs;
      }, get),
    ).toBe('key');
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs.pop();
      }, get),
    ).toBe('key');
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs[0].custom.moment = 'now';
      }, get),
    ).toBe('proof');
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs[1].result = body.meta.proofs[0].result;
      }, get),
    ).toBe('proof');
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs[1].method = 'none';
      }, get),
    ).toBe('proof');
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs[1] = null;
      }, get),
    ).toBe('form');
  });

  it("with another luid than the one in the ledger's proof", async () => {
    expect(
      await scene.found(({ body }) => {
        body.luid = `${body.luid.slice(0, -1)}${body.luid.endsWith('x') ? 'y' : 'x'}`;
      }, get),
    ).toBe('key');
  });

  it('that another key has signed, where the key is pinned', async () => {
    const resigned: Lie = ({ body }) => {
      const { custom } = body.meta.proofs[1];
      body.meta.proofs[1] = forged(body.hash, custom);
    };
    expect(await scene.found(resigned, get)).toBe('key');
  });

  it('that another key has signed, where the first was trusted', async () => {
    const trusted: string[] = [];
    const { handle, signer } = scene.own;
    const trusting = connect({
      server: scene.liar.url,
      ledger: handle,
      signer,
      onFirstUse: (one) => trusted.push(one),
    });
    await trusting.wallets.get('shop');
    expect(trusted).toEqual([scene.own.systemKey]);
    const resigned: Lie = ({ body }) => {
      body.meta.proofs[1] = forged(body.hash, body.meta.proofs[1].custom);
    };
    expect(await scene.found(resigned, () => trusting.wallets.get('till'))).toBe('key');
    expect(trusting.systemKey).toBe(scene.own.systemKey);
  });

  it('of another name, another kind, another ledger', async () => {
    const till = await scene.own.ledger.wallets.get('till');
    expect(
      await scene.found((answer) => {
        answer.body = till;
      }, get),
    ).toBe('record');
    await scene.own.ledger.domains.create({ handle: 'shop' });
    const domain = await scene.own.ledger.domains.get('shop');
    expect(
      await scene.found((answer) => {
        answer.body = domain;
      }, get),
    ).toBe('record');
    const other = await makeLedger(scene.url);
    const elsewhere = await other.ledger.wallets.create({ handle: 'shop', custom: { tier: 'silver' } });
    expect(
      await scene.found((answer) => {
        answer.body = elsewhere;
      }, get),
    ).toBe('key');
  });

  it('in an older version than was seen, by handle and by luid', async () => {
    const old = await scene.own.ledger.wallets.get('shop');
    const changed = await scene.ledger.wallets.update('shop', { handle: 'shop' });
    expect(
      await scene.found((answer) => {
        answer.body = old;
      }, get),
    ).toBe('stale');
    expect(
      await scene.found(
        (answer) => {
          answer.body = old;
        },
        () => scene.ledger.wallets.get(old.luid),
      ),
    ).toBe('stale');
    const signed = await scene.ledger.wallets.sign('shop', { status: 'active' });
    expect(
      await scene.found((answer) => {
        answer.body = changed;
      }, get),
    ).toBe('stale');
    expect(await get()).toEqual(signed);
  });

  it('that was dropped, and made again under the same handle', async () => {
    const dropped = await scene.ledger.wallets.get('shop');
    await scene.ledger.wallets.drop(dropped);
    await scene.ledger.wallets.create({ handle: 'shop' });
    expect(
      await scene.found((answer) => {
        answer.body = dropped;
      }, get),
    ).toBe('stale');
  });

  it('that is no record', async () => {
    for (const body of [
      null,
      [],
      'text',
      1,
      {},
      { hash: '', meta: {} },
      { data: [], hash: '', meta: { proofs: [] } },
    ]) {
      expect(
        await scene.found((answer) => {
          answer.body = body;
        }, get),
      ).toMatch(/^(form|hash)$/);
    }
    expect(
      await scene.found((answer) => {
        answer.raw = '<html>';
      }, get),
    ).toBe('form');
    expect(
      await scene.found((answer) => {
        answer.raw = '';
      }, get),
    ).toBe('form');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(
      await scene.found((answer) => {
        answer.raw = `{"hash":"","meta":{},"data":{"a":${deep}}}`;
      }, get),
    ).toMatch(/form|hash/);
  });

  it('that never ends', async () => {
    let given = 0;
    async function* endless() {
      for (;;) {
        given += 1024 * 1024;
        yield new Uint8Array(1024 * 1024).fill(0x20);
      }
    }
    expect(
      await scene.found((answer) => {
        answer.raw = endless();
      }, get),
    ).toBe('size');
    expect(given).toBeLessThan(64 * 1024 * 1024);
  });
});
