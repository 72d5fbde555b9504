import type { RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discardImport } from '../../src/archive/archive.js';
import { fileMac, newSeal } from '../../src/archive/passphrase.js';
import { seal, sealContext } from '../../src/keys/seal.js';
import type { ServerKey } from '../../src/keys/signing-key.js';
import { newKey } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { type ErasedLedger, erasedLedger } from './erased-ledger.js';
import { exported, imported, verified, withPool } from './support.js';
import { Draft, type DraftLine, publicOf, systemKey } from './tree/draft.js';

const WITH_KEYS = { passphrase: 'a long passphrase' };

let from: RunningServer;
let into: RunningServer;
let source: ErasedLedger;
/** With keys, and without. */
let text: string;
let key: ServerKey;

beforeAll(async () => {
  from = await startServer();
  into = await startServer({ masterKey: Buffer.alloc(32, 9) });
  source = await erasedLedger(from.url);
  text = await exported(from, source.scene.client.ledger!, WITH_KEYS);
  key = await systemKey(from, source.scene.client.ledger!);
}, 600_000);
afterAll(async () => {
  await from.stop();
  await into.stop();
});

const statementOf = (draft: Draft, kind: string): DraftLine =>
  draft.changes.find((line) => line.kind === kind && line.action === 'erase');
const earlierOf = (draft: Draft, { luid }: DraftLine): DraftLine[] =>
  draft.changesOf(luid).filter(({ text }) => text === null);

/** What is found of the export, which no import takes: neither as what it says, nor with an end that fits. */
async function refused(draft: Draft): Promise<string[]> {
  const altered = draft.text();
  for (const options of [WITH_KEYS, { isReadOnly: true }])
    await expect(imported(into, altered, options, Buffer.alloc(32, 9))).rejects.toThrow(
      /^The export is not what its ledger wrote: \d+ findings\. Nothing was stored\.$/,
    );
  expect(await runSql(into.database.url, 'select from change union all select from erased_leaf')).toEqual([]);
  return verified(altered).findings.map(({ detail }) => detail);
}

describe('an import refuses an export (export#erased-records)', () => {
  it('with a statement whose changes are left out, though all is sealed anew', async () => {
    const draft = Draft.of(text);
    draft.remove(earlierOf(draft, statementOf(draft, 'anchor')));
    await draft.reseal(key);
    expect(await refused(draft)).toEqual([expect.stringMatching(/^erases a record that has 0 changes here$/)]);
  });

  it('with changes whose statement is left out', async () => {
    const draft = Draft.of(text);
    draft.remove([statementOf(draft, 'anchor')]);
    await draft.reseal(key);
    expect(await refused(draft)).toContain('has changes without a text, and none that says they were erased');
  });

  it('with a commitment that was altered, swapped, or of another length', async () => {
    const draft = Draft.of(text);
    const [first, second] = earlierOf(draft, statementOf(draft, 'intent'));
    [first.leaf.commitment, second.leaf.commitment] = [second.leaf.commitment, first.leaf.commitment];
    expect(await refused(draft)).toEqual([
      expect.stringContaining('have another root than the checkpoint of the export'),
    ]);
    first.leaf.commitment = Buffer.alloc(31).toString('base64');
    expect(await refused(draft)).toContain("has no commitment in 'leaf'");
    delete first.leaf;
    expect(await refused(draft)).toContain('was erased, and has no leaf that says what it was');
  });

  it('with a commitment that has no place in a log which is whole', async () => {
    const draft = Draft.of(text);
    const [first] = earlierOf(draft, statementOf(draft, 'wallet'));
    delete first.leaf.index;
    expect(await refused(draft)).toContain("has no index in 'leaf'");
  });

  it('without a log, where a commitment is none, or a leaf has a place', async () => {
    const unlogged = () => {
      const draft = Draft.of(text);
      delete draft.header.log;
      for (const line of draft.changes)
        line.leaf = line.text === null ? { commitment: line.leaf.commitment } : undefined;
      return draft;
    };
    expect(verified(unlogged().text()).findings).toEqual([]);
    expect(verified(unlogged().text()).summary.unchecked.join()).toContain('the export has no log');
    for (const [leaf, detail] of [
      [{ commitment: 'AAAA' }, "has no commitment in 'leaf'"],
      [{ commitment: Buffer.alloc(32).toString('base64'), salt: '' }, "has an unknown member 'leaf.salt'"],
      [undefined, 'was erased, and has no leaf that says what it was'],
      [{ index: 0, commitment: Buffer.alloc(32).toString('base64') }, 'and the export says nothing of a log'],
    ] as const) {
      const draft = unlogged();
      earlierOf(draft, statementOf(draft, 'wallet'))[0].leaf = leaf;
      expect(await refused(draft)).toEqual([expect.stringContaining(detail)]);
    }
  });

  it('with an erased record of a kind that is never erased', async () => {
    const draft = Draft.of(text);
    const lines = draft.changesOf(statementOf(draft, 'anchor').luid);
    for (const line of lines) line.kind = 'domain';
    await draft.reseal(key);
    expect(await refused(draft)).toEqual(
      expect.arrayContaining(['has a luid of another kind of record', 'erases a domain, which stays for good']),
    );
  });

  it.each([
    ['action', 'erase', "has the action 'erase'"],
    ['action', 'forget', "has the action 'forget'"],
    ['moment', '+012026-01-01T00:00:00.000Z', 'has a moment that no ledger writes'],
    ['moment', '0000-01-01T00:00:00.000Z', 'has a moment that no ledger writes'],
    ['moment', '2026-02-31T00:00:00.000Z', 'has a moment that no ledger writes'],
    ['moment', '2026-13-01T00:00:00.000Z', 'has a moment that no ledger writes'],
    ['moment', '2026-01-01T00:00:00.000Z BC', 'has a moment that no ledger writes'],
    ['moment', '2026-13-40', 'has a moment that no ledger writes'],
  ])('with an erased change of the %s %s', async (member, value, detail) => {
    const draft = Draft.of(text);
    earlierOf(draft, statementOf(draft, 'wallet'))[0][member] = value;
    expect(await refused(draft)).toContain(detail);
  });

  it('with an erased intent that has a text in the middle', async () => {
    const draft = Draft.of(text);
    const [, second] = earlierOf(draft, statementOf(draft, 'intent'));
    const other = draft.changes.find(({ kind, change, text }) => kind === 'intent' && change === 2 && text !== null);
    const { hash, text: said, action, moment } = other;
    Object.assign(second, {
      hash,
      text: said,
      action,
      moment,
      leaf: { index: second.leaf.index, salt: other.leaf.salt },
    });
    await draft.reseal(key);
    const found = await refused(draft);
    expect(found).toContain('has changes without a text, and none that says they were erased');
    expect(found.join()).toContain('comes apart from the other versions of its record');
  });

  it('with a statement that another key has signed', async () => {
    const draft = Draft.of(text);
    const line = statementOf(draft, 'symbol');
    const record = JSON.parse(line.text) as RecordEnvelope;
    record.meta.proofs.at(-1)!.public = publicOf(newKey());
    line.text = JSON.stringify(record);
    await draft.reseal(key);
    expect(await refused(draft)).toContain('has no proof of its ledger for the erasure');
  });
});

describe('names that stay taken (export#erased-records)', () => {
  const linesOf = (draft: Draft, sort: string) => draft.lines.filter(({ line }) => line === sort);

  it('are missed of an erased intent', async () => {
    const draft = Draft.of(text);
    const { luid } = source.intents[0]!;
    draft.lines = draft.lines.filter((line) => !(line.line === 'taken' && line.luid === luid));
    expect(await refused(draft)).toEqual(['is erased, and no name of it is among those that stay taken']);
    const none = Draft.of(text);
    none.lines = none.lines.filter(({ line }) => line !== 'taken');
    expect(await refused(none)).toHaveLength(source.intents.length);
  });

  it.each<[string, (draft: Draft) => void, string]>([
    [
      'of a record that is not erased',
      (draft) => {
        // Of an intent that has one name, that one would be missed as well.
        const lines = linesOf(draft, 'taken');
        const isOneOfMany = ({ luid }: { luid: string }) => lines.filter((other) => other.luid === luid).length > 1;
        const isOfIntent = ({ luid }: { luid: string }) => source.intents.some((intent) => intent.luid === luid);
        const line = lines.find((one) => isOneOfMany(one) || !isOfIntent(one));
        line.luid = draft.header.ledger.luid;
      },
      'has a name that stays taken, and is not erased',
    ],
    [
      'twice',
      (draft) => draft.lines.splice(draft.lines.indexOf(linesOf(draft, 'taken')[0]), 0, linesOf(draft, 'taken')[0]),
      'that stays taken out of order',
    ],
    [
      'that are no veiled ones',
      (draft) => {
        linesOf(draft, 'taken')[0].name = 'rent';
      },
      'has a name that stays taken, of another form than a veiled one',
    ],
    [
      'whose key is missing',
      (draft) => {
        draft.lines = draft.lines.filter(({ line, name }) => line !== 'secret' || name !== 'veil');
      },
      'has names that stay taken, and no key that they are veiled with',
    ],
    [
      'whose key is that of another record',
      (draft) => {
        const secret = linesOf(draft, 'secret').find(({ name }) => name === 'veil');
        secret.luid = source.intents[0]!.luid;
      },
      'has names that stay taken, and no key that they are veiled with',
    ],
  ])('are not taken %s', async (_, alter, detail) => {
    const draft = Draft.of(text);
    alter(draft);
    expect(await refused(draft)).toEqual([expect.stringContaining(detail)]);
  });

  it('are not altered by who lacks the passphrase', async () => {
    const draft = Draft.of(text);
    const lines = linesOf(draft, 'taken');
    const { name } = lines.at(-1);
    lines.at(-1).name = `${name.slice(0, -1)}${name.endsWith('f') ? 'e' : 'f'}`;
    expect(verified(draft.text()).findings).toEqual([]);
    await expect(imported(into, draft.text(), WITH_KEYS, Buffer.alloc(32, 9))).rejects.toThrow(
      'The file was altered after it was written',
    );
  });
});

describe('keys that an export promises (export#import)', () => {
  /** An export without keys, sealed to a passphrase of somebody else, with secrets of their own. */
  async function sealedByAnother(
    secrets: (luid: string, signers: Map<string, string>) => [luid: string, name: string, value: Buffer][],
  ) {
    const draft = Draft.of(await exported(from, source.scene.client.ledger!));
    const { luid } = draft.header.ledger;
    const work = { n: 2, r: 1, p: 1 };
    const own = await newSeal('mine', (bytes) => globalThis.crypto.getRandomValues(new Uint8Array(bytes)), work);
    draft.header.secrets = own.seal;
    const end = draft.lines.pop();
    for (const [at, intent] of source.intents.map(({ luid }) => luid).entries())
      draft.lines.push({ line: 'taken', name: String(at).padStart(32, '0'), luid: intent });
    const signers = new Map(
      draft.changes.flatMap(({ kind, luid, text }) =>
        kind === 'signer' && text !== null ? [[JSON.parse(text).data.handle as string, luid as string] as const] : [],
      ),
    );
    for (const [of, name, value] of [[luid, 'veil', Buffer.alloc(32)] as const, ...secrets(luid, signers)]) {
      const sealed = seal(own.key, value, sealContext(luid, of, name)).toString('base64');
      draft.lines.push({ line: 'secret', luid: of, name, sealed });
    }
    draft.lines.push(end);
    const text = draft.text();
    const { sha256, ...others } = JSON.parse(text.trimEnd().split('\n').at(-1)!);
    const before = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1);
    return `${before}${JSON.stringify({ ...others, sha256, mac: fileMac(own.key, sha256) })}\n`;
  }

  const OWN = ['system', 'core', 'system.auth'];

  it.each<[string, (handle: string) => Buffer | undefined, RegExp]>([
    ['none of', () => undefined, /^The export lacks the private key of system\. Import it with --read-only\.$/],
    ['others than', () => Buffer.alloc(32, 1), /^The export has another private key of system than its own\.$/],
    ['no keys for', () => Buffer.alloc(3), /^The export has another private key of system than its own\.$/],
    [
      'one of',
      (handle) => (handle === 'system' ? Buffer.from(key.secret) : undefined),
      /^The export lacks the private key of (core|system\.auth)\. Import it with --read-only\.$/,
    ],
  ])('are missed where there are %s them', async (_, keyOf, refusal) => {
    const altered = await sealedByAnother((_, signers) =>
      OWN.flatMap((handle) => {
        const value = keyOf(handle);
        return value ? [[signers.get(handle)!, 'privateKey', value] as [string, string, Buffer]] : [];
      }),
    );
    expect(verified(altered).findings).toEqual([]);
    const master = Buffer.alloc(32, 9);
    await expect(imported(into, altered, { passphrase: 'mine' }, master)).rejects.toThrow(refusal);
    expect(
      await runSql(into.database.url, 'select from ledger where handle = $1', [source.scene.client.ledger!]),
    ).toEqual([]);
    await withPool(into, (pool) => discardImport(pool, Draft.of(altered).header.ledger.luid));
  });
});
