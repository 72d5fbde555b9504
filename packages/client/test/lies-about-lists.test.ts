import { hash } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { OPEN } from './support/ledger.js';
import type { Lie } from './support/liar.js';
import { forged, withLiar } from './support/lying-scene.js';

const scene = withLiar();

describe('a write', () => {
  it('that is answered with another record, or one that someone else has signed', async () => {
    const till = await scene.own.ledger.wallets.get('till');
    const instead: Lie = (answer) => {
      if (answer.method === 'POST') answer.body = till;
    };
    expect(await scene.found(instead, () => scene.ledger.wallets.create({ handle: 'new' }))).toBe('record');
    expect(await scene.found(instead, () => scene.ledger.wallets.create({ handle: 'till-2' }))).toBe('record');
    const shop = await scene.own.ledger.wallets.get('shop');
    const unchanged: Lie = (answer) => {
      if (answer.method === 'PUT') answer.body = shop;
    };
    expect(await scene.found(unchanged, () => scene.ledger.wallets.update(shop, { handle: 'shop' }))).toBe('record');
    const unsigned: Lie = (answer) => {
      if (answer.method === 'POST') answer.body = shop;
    };
    const now = await scene.ledger.wallets.get('shop');
    expect(await scene.found(unsigned, () => scene.ledger.wallets.sign(now, { status: 'active' }))).toBe('stale');
    const fresh = scene.own.connect({ server: scene.liar.url });
    const other = await fresh.wallets.get('shop');
    expect(
      await scene.found(
        (answer) => {
          if (answer.method === 'POST') answer.body = other;
        },
        () => fresh.wallets.sign(other),
      ),
    ).toBe('record');
  });

  it('of the same data by someone else, dropped since then', async () => {
    const before = await scene.own.ledger.wallets.create({ handle: 'again' });
    await scene.own.ledger.wallets.drop(before);
    const instead: Lie = (answer) => {
      if (answer.method === 'POST') answer.body = before;
    };
    expect(await scene.found(instead, () => scene.ledger.wallets.create({ handle: 'again' }))).toBe('record');
    // With the status of a repeated create, its first version is looked at.
    const repeated: Lie = (answer) => {
      if (answer.method === 'POST') Object.assign(answer, { body: before, status: 200 });
      return undefined;
    };
    const fresh = scene.own.connect({ server: scene.liar.url });
    expect(await scene.found(repeated, () => fresh.wallets.create({ handle: 'again', custom: { a: 1 } }))).toBe(
      'record',
    );
  });

  it('whose drop is only said to be done', async () => {
    const shop = await scene.ledger.wallets.get('shop');
    // The request is kept from the scene.ledger.
    const kept = scene.own.connect({
      server: scene.liar.url,
      fetch: async (url, init) => (url.endsWith('/drop') ? new Response(null, { status: 204 }) : fetch(url, init)),
    });
    await expect(kept.wallets.drop(shop, { confirm: true })).rejects.toMatchObject({ fault: 'record' });
  });
});

describe('an erasure', () => {
  it('that is only said to be done, or was done of another record', async () => {
    const [shop, till] = [await scene.ledger.wallets.get('shop'), await scene.ledger.wallets.get('till')];
    const access = [...OPEN, { action: 'erase' as const, record: 'wallet' as const }];
    await scene.own.ledger.record.update(undefined, (data) => ({ ...data, access }));
    for (const wallet of [shop, till]) await scene.own.ledger.wallets.drop(wallet);
    const dropped = await scene.own.ledger.wallets.change(shop.luid, 2);
    const other = await scene.own.ledger.wallets.erase(till, 'asked');
    const answered = (body: unknown): Lie => {
      return (answer) => {
        if (answer.method === 'POST') Object.assign(answer, { body, status: 200 });
      };
    };
    const erase = () => scene.ledger.wallets.erase(shop, 'asked', { change: 2 });
    expect(await scene.found(answered(dropped), erase)).toBe('record');
    expect(await scene.found(answered(other), erase)).toBe('record');
    const forgedAnswer = structuredClone(other) as unknown as Record<'data', Record<string, unknown>>;
    forgedAnswer.data.luid = shop.luid;
    expect(await scene.found(answered(forgedAnswer), erase)).toBe('hash');
  });
});

describe('a list', () => {
  const all = () => scene.ledger.wallets.list().all();

  it('with a forged item, one less, one twice, or of another order', async () => {
    expect(
      await scene.found(({ body }) => {
        body.data[0].data.custom = {};
      }, all),
    ).toBe('hash');
    expect(
      await scene.found(({ body }) => {
        body.data.pop();
      }, all),
    ).toBe('hash');
    expect(
      await scene.found(({ body }) => {
        body.data.push(body.data[0]);
      }, all),
    ).toBe('hash');
    expect(
      await scene.found(({ body }) => {
        body.data.reverse();
      }, all),
    ).toBe('hash');
    expect(
      await scene.found(({ body }) => {
        body.data[0].meta.status = 'active';
      }, all),
    ).toBe('hash');
  });

  it('that another key has signed, or nobody', async () => {
    const resigned: Lie = ({ body }) => {
      body.data.pop();
      body.hash = hash(body.data);
      body.meta.proofs = [forged(body.hash, { moment: body.meta.moment })];
    };
    expect(await scene.found(resigned, all)).toBe('key');
    expect(
      await scene.found(({ body }) => {
        body.meta.proofs = [];
      }, all),
    ).toBe('key');
  });

  it('that was signed before', async () => {
    await all();
    const old = scene.liar.seen.at(-1)?.body;
    const strict = scene.own.connect({ server: scene.liar.url, tolerance: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(
      await scene.found(
        (answer) => {
          answer.body = old;
        },
        () => strict.wallets.list().all(),
      ),
    ).toBe('stale');
  });

  it('of another page, and pages that never end', async () => {
    const pages = () => scene.ledger.wallets.list({ limit: 1 }).all();
    expect(await pages()).toHaveLength(2);
    const [first] = scene.liar.seen.slice(-4).map(({ body }) => body);
    expect(
      await scene.found((answer) => {
        answer.body = first;
      }, pages),
    ).toBe('record');
    const renumbered: Lie = (answer) => {
      const { index } = answer.body.page;
      answer.body = { ...first, page: { index, limit: 1 } };
    };
    expect(await scene.found(renumbered, pages)).toBe('stale');
  });

  it('of an access check with a rule of its own', async () => {
    const check = () => scene.ledger.wallets.check('shop', 'update');
    const more: Lie = ({ body }) => {
      const data = { action: 'any', record: 'any' };
      body.data.push({ hash: hash(data), data, meta: { proofs: [forged(hash(data), { moment: body.meta.moment })] } });
    };
    expect(await scene.found(more, check)).toBe('hash');
  });
});

describe('a delivery', () => {
  it('that the ledger has not signed, or another one', async () => {
    const action = { schema: 'webhook', endpoint: 'https://127.0.0.1:9/x' } as never;
    await scene.own.ledger.effects.create({ handle: 'hook', signal: 'wallet-created', action });
    await scene.own.ledger.wallets.create({ handle: 'new' });
    const attempted = async () => (await scene.own.ledger.effects.events('hook').first())?.meta.proofs.length;
    await expect.poll(attempted, { timeout: 30_000 }).toBeGreaterThan(0);
    const handle = (await scene.own.ledger.effects.events('hook').first())?.data.handle ?? '';
    const event = () => scene.ledger.effects.event('hook', handle);
    expect((await event()).data.linked).toBe('new');
    const resigned: Lie = ({ body }) => {
      body.meta.proofs = [forged(body.hash, { status: 'delivered', moment: body.meta.moment })];
    };
    expect(await scene.found(resigned, event)).toBe('key');
    const other: Lie = ({ body }) => {
      body.data.linked = 'till';
    };
    expect(await scene.found(other, event)).toBe('hash');
    const luid = (await event()).luid;
    expect((await scene.ledger.effects.event('hook', luid)).data.handle).toBe(handle);
    const instead = await scene.own.ledger.effects.event('hook', handle);
    const asked = () => scene.ledger.effects.event('hook', 'x'.repeat(17));
    const found: Lie = (answer) => {
      Object.assign(answer, { status: 200, body: instead });
    };
    expect(await scene.found(found, asked)).toBe('record');
  });
});

describe('a refusal', () => {
  const get = () => scene.ledger.wallets.get('shop');
  const data = { reason: 'record.not-found', detail: 'Wallet not found' };
  const moment = () => new Date().toISOString();

  it('that the ledger has not signed', async () => {
    const body = { hash: hash(data), data, meta: { proofs: [], moment: moment() } };
    expect(
      await scene.found((answer) => {
        Object.assign(answer, { status: 404, body });
      }, get),
    ).toBe('key');
    const forgery = { ...body, meta: { proofs: [forged(body.hash, { moment: moment() })] } };
    expect(
      await scene.found((answer) => {
        Object.assign(answer, { status: 404, body: forgery });
      }, get),
    ).toBe('key');
    const changed = { ...body, data: { ...data, detail: 'x' } };
    expect(
      await scene.found((answer) => {
        Object.assign(answer, { status: 404, body: changed });
      }, get),
    ).toBe('hash');
    expect(
      await scene.found((answer) => {
        Object.assign(answer, { status: 404, body: { data } });
      }, get),
    ).toBe('form');
  });

  it('that was signed before', async () => {
    await scene.ledger.wallets.get('ghost').catch(() => undefined);
    const old = scene.liar.seen.at(-1)?.body;
    expect(old.data).toEqual(data);
    const strict = scene.own.connect({ server: scene.liar.url, tolerance: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const replayed: Lie = (answer) => {
      Object.assign(answer, { status: 404, body: old });
    };
    expect(await scene.found(replayed, () => strict.wallets.get('shop'))).toBe('stale');
  });

  it("which is a record's or a list's signature over something else", async () => {
    const shop = await scene.own.ledger.wallets.get('shop');
    const body = { ...shop, data };
    expect(
      await scene.found((answer) => {
        Object.assign(answer, { status: 404, body });
      }, get),
    ).toBe('hash');
  });
});
