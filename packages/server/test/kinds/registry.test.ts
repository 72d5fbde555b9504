import { describe, expect, it } from 'vitest';
import { kindNamed, kinds, recordNames } from '../../src/kinds/registry.js';
import { examples } from './examples.js';
import { PREFIXES } from './prefixes.js';

describe('the registry', () => {
  it('holds every kind once, under its name and prefix (interface/envelope#luids)', () => {
    expect(Object.fromEntries(kinds.map(({ name, prefix }) => [name, prefix]))).toEqual(PREFIXES);
    expect(kinds).toHaveLength(Object.keys(PREFIXES).length);
    expect(new Set(kinds.map(({ prefix }) => prefix)).size).toBe(kinds.length);
    for (const kind of kinds) expect(kindNamed(kind.name)).toBe(kind);
  });

  it('gives each kind paths of its own', () => {
    const paths = kinds.map(({ path, links: { under } }) => (under ? `${kindNamed(under.kind).path}/${path}` : path));
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.sort()).toEqual(
      [
        'anchors',
        'bridges',
        'circles',
        'circles/signers',
        'domains',
        'effects',
        'intents',
        'ledgers',
        'policies',
        'reports',
        'schemas',
        'signers',
        'signers/factors',
        'symbols',
        'wallets',
      ].sort(),
    );
  });

  it('serves the operations of interface/README#operations', () => {
    const without = (operation: string) =>
      kinds
        .filter(({ lifecycle: { operations } }) => !(operations as readonly string[]).includes(operation))
        .map(({ name }) => name);
    for (const operation of ['create', 'list', 'read']) expect(without(operation)).toEqual([]);
    expect(without('update')).toEqual(['report', 'circle-signer', 'intent']);
    expect(without('drop')).toEqual(['ledger', 'signer', 'domain', 'schema', 'circle', 'intent']);
    expect(without('changes')).toEqual([]);
    for (const operation of ['proof', 'check']) expect(without(operation)).toEqual(['circle-signer']);
    for (const {
      lifecycle: { operations },
    } of kinds)
      expect(new Set(operations).size).toBe(operations.length);
  });

  it('knows the signals in the order of interface/effects#signals', () => {
    expect(recordNames.signals).toHaveLength(56);
    expect(new Set(recordNames.signals).size).toBe(56);
    expect(recordNames.signals.slice(0, 5)).toEqual([
      'anchor-created',
      'anchor-dropped',
      'anchor-proofs-added',
      'anchor-updated',
      'balance-received',
    ]);
    expect(recordNames.signals.slice(-3)).toEqual(['wallet-updated', 'wallet-dropped', 'bridge-dropped']);
  });

  it.each(kinds)('$name raises signals that can be subscribed to, for operations it serves', (kind) => {
    for (const signal of kind.lifecycle.signals) expect(recordNames.signals).toContain(signal);
    const operations: Record<string, string> = {
      [`${kind.name}-created`]: 'create',
      [`${kind.name}-proofs-added`]: 'proof',
      [`${kind.name}-updated`]: 'update',
      [`${kind.name}-dropped`]: 'drop',
    };
    const silent = ['policy-dropped', 'symbol-dropped'];
    const expected = Object.entries(operations)
      .filter(([, operation]) => (kind.lifecycle.operations as readonly string[]).includes(operation))
      .map(([signal]) => signal)
      .filter((signal) => !silent.includes(signal));
    // Intents change by themselves (interface/README#operations).
    if (kind.name === 'intent') expected.push('intent-updated');
    expect([...kind.lifecycle.signals].sort()).toEqual(kind.name === 'circle-signer' ? [] : expected.sort());
  });

  it.each(kinds)('$name serves its members in a known order, each once', (kind) => {
    const shapes = kind.data.alternatives ?? [kind.data.shape];
    const members = new Set(shapes.flatMap((shape) => Object.keys(shape.properties)));
    const servedOnly = Object.keys(kind.data.added ?? {});
    expect([...kind.data.order].sort()).toEqual([...members, ...servedOnly].sort());
  });

  it.each(kinds)('$name has relations, parents and dependants that are kinds and members', (kind) => {
    const data = examples[kind.name].full('a');
    const needed = examples[kind.name].needs?.('a') ?? [];
    for (const relation of kind.links.relations?.(data) ?? []) {
      expect(needed.some((need) => need.kind === relation.kind && need.data.handle === relation.handle)).toBe(true);
    }
    if (kind.links.under) expect(kind.data.shape.required).toContain(kind.links.under.member);
    for (const dependant of kind.links.dependants ?? []) {
      expect(Object.keys(kindNamed(dependant.kind).data.shape.properties)).toContain(dependant.member);
    }
  });

  it('decides access by the kinds that rules, members and schemas live in', () => {
    const deciding = (when: string) =>
      kinds.filter(({ access: { bumpsRules: decides } }) => decides === when).map(({ name }) => name);
    expect(deciding('always').sort()).toEqual([
      'circle',
      'circle-signer',
      'domain',
      'effect',
      'ledger',
      'policy',
      'schema',
    ]);
    expect(deciding('unless-created')).toEqual(['signer', 'signer-factor']);
  });

  it('keeps the handles that others refer to', () => {
    const kept = kinds.filter(({ links: { renamable } }) => renamable === false).map(({ name }) => name);
    expect(kept.sort()).toEqual([
      'anchor',
      'bridge',
      'circle',
      'domain',
      'ledger',
      'policy',
      'schema',
      'signer',
      'symbol',
      'wallet',
    ]);
  });

  it('judges circle signers by the rules of their circle (interface/circles#members)', () => {
    const { links, access, trail } = kindNamed('circle-signer');
    expect(access.rightsOnParent).toEqual({ create: 'assign-signer', drop: 'remove-signer', read: 'read' });
    expect(links.key?.({ circle: 'c', [links.to?.member ?? '']: 's' })).toBe('c/s');
    expect(trail).toEqual({ answer: 200, origin: false });
  });

  it('leaves the status and moment of intents to the ledger (interface/intents#fields)', () => {
    const fixed = kinds.filter(({ lifecycle: { fixedStatus, fixedMoment } }) => fixedStatus || fixedMoment);
    expect(fixed.map(({ name }) => name)).toEqual(['intent']);
    expect(kindNamed('intent').lifecycle).toMatchObject({
      initialStatus: 'pending',
      fixedStatus: true,
      fixedMoment: true,
    });
    expect(kindNamed('intent').trail.created).toEqual([
      { status: 'pending', luid: false },
      { status: 'pending', luid: true },
    ]);
  });
});
