import { describe, expect, it } from 'vitest';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { examples } from './examples.js';

describe('what the ledger adds', () => {
  it('to a subdomain is its parent', () => {
    const { served } = kindNamed('domain').data;
    expect(served?.({ handle: 'eu@payments' }, 'payments')).toEqual({ handle: 'eu@payments', domain: 'payments' });
    expect(served?.({ handle: 'payments' }, undefined)).toEqual({ handle: 'payments' });
  });

  it('to the data of any other kind is nothing', () => {
    expect(kinds.filter(({ data: { served } }) => served).map(({ name }) => name)).toEqual(['domain']);
    expect(kinds.filter(({ data: { added } }) => added).map(({ name }) => name)).toEqual(['domain', 'intent']);
  });

  it('to an intent is a thread, and the domains of its wallets', async () => {
    const wallets = new Map([
      ['alice', 'retail'],
      ['tel:385@acc', 'payments'],
      ['bob', 'retail'],
    ]);
    const asked: string[] = [];
    const tools = {
      random: (bytes: number) => new Uint8Array(bytes).fill(255),
      domainOf: async (kind: string, handle: string) => {
        expect(kind).toBe('wallet');
        asked.push(handle);
        return wallets.get(handle);
      },
    };
    const { meta } = kindNamed('intent').lifecycle;
    expect(await meta?.(examples.intent.full('i'), tools)).toEqual({
      thread: '-________________',
      domains: ['payments', 'retail'],
    });
    expect(asked.sort()).toEqual(['alice', 'tel:385@acc']);
    expect(
      await meta?.({ handle: 'i', claims: [{ source: 'ghost', target: { handle: 'bob' } }] }, tools),
    ).toMatchObject({
      domains: ['retail'],
    });
    expect(await meta?.({ handle: 'i', claims: [{ source: 'ghost' }] }, tools)).toMatchObject({ domains: [] });
  });
});

describe('the value records are looked up by', () => {
  const link = (name: keyof typeof examples, of: 'minimal' | 'full' = 'full') =>
    kindNamed(name).links.value?.(examples[name][of]('x'));

  it('is the one that others ask for', () => {
    expect(link('signer')).toBe(examples.signer.full('x').public);
    expect(link('circle-signer')).toBe('x');
    expect(link('schema')).toBe('anchor-lookup');
    expect(link('anchor')).toBe('x-wallet');
    expect(link('wallet')).toBe('x-bridge');
    expect(link('wallet', 'minimal')).toBeUndefined();
  });

  it('exists wherever a drop looks for dependants', () => {
    for (const name of ['wallet', 'bridge'] as const) {
      for (const { kind, member } of kindNamed(name).links.dependants ?? []) {
        expect(kindNamed(kind).links.value?.({ [member]: 'held' })).toBe('held');
      }
    }
  });
});
