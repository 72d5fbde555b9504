import { randomBytes } from 'node:crypto';
import {
  cosign,
  formatNote,
  formatVkey,
  leafHash,
  type NoteKey,
  noteKey,
  type Policy,
  parseNote,
  parsePolicy,
} from '@countersign/protocol/log';
import type { FileOptions } from '@countersign/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../../src/auth/native-suite.js';
import { verified } from '../support.js';
import { Draft, type DraftLine, indexOf, signed } from './draft.js';
import { type SealedLedger, sealedLedger } from './sealed-ledger.js';

let ledger: SealedLedger;
beforeAll(async () => {
  ledger = await sealedLedger();
}, 600_000);

/** What the verifier tells of the log. */
function told(draft: Draft | string, options: Partial<FileOptions> = {}): string[] {
  const { findings } = verified(typeof draft === 'string' ? draft : draft.text(), undefined, options);
  return findings.filter(({ rule }) => rule === 'log').map(({ detail }) => detail);
}

const draftOf = () => Draft.of(ledger.text);
const oneOf = (draft: Draft, is: (line: DraftLine) => boolean): DraftLine => draft.leaves.find(is);

describe('each check of the tree, where no other finds it (interface/log-verifying#the-order-of-checks)', () => {
  it('has one leaf of each index: the second is told of, wherever it stands', () => {
    for (const isFirst of [true, false]) {
      const draft = draftOf();
      const { leaves, header } = draft;
      const [one, other] = [leaves[5], leaves[90]];
      const copy = { ...(isFirst ? one : other), luid: isFirst ? '$wlt.--' : '$wlt.zz', change: 1 };
      copy.leaf = { ...(isFirst ? other : one).leaf };
      const at = isFirst ? 1 : draft.lines.findLastIndex(({ line }) => line === 'current') + 1;
      draft.lines.splice(at, 0, copy);
      header.changes += 1;
      expect(told(draft)).toContain(`is the leaf ${indexOf(copy)}, which another change is, too`);
    }
  });

  it('lacks none, though the tree says so', async () => {
    const draft = draftOf();
    const hashes = draft.hashes();
    const gone = oneOf(draft, ({ kind, luid }) => kind === 'symbol' && draft.changesOf(luid).length === 1);
    const index = indexOf(gone);
    draft.remove(draft.lines.filter(({ luid }) => luid === gone.luid));
    hashes[index] = new Uint8Array(32);
    await draft.sign(ledger.key, hashes);
    expect(told(draft)).toEqual([`lacks 1 of the ${hashes.length} leaves of its log, the first at ${index}`]);
  });

  it('has none behind the end, which would count for one that is missing', async () => {
    const draft = draftOf();
    const hashes = draft.hashes();
    const moved = oneOf(draft, ({ kind, luid }) => kind === 'symbol' && draft.changesOf(luid).length === 1);
    hashes[indexOf(moved)] = new Uint8Array(32);
    moved.leaf.index = hashes.length;
    await draft.sign(ledger.key, hashes);
    expect(told(draft)).toContain(`is the leaf ${hashes.length}, and the log has ${hashes.length}`);
  });

  it('is in the order of the changes of each record', async () => {
    const draft = draftOf();
    const second = oneOf(draft, ({ change }) => change === 2);
    const [first] = draft.changesOf(second.luid);
    const [one, other] = [indexOf(first), indexOf(second)];
    [first.leaf.index, second.leaf.index] = [other, one];
    await draft.reseal(ledger.key);
    expect(told(draft)).toEqual([`is the leaf ${one}, and the change before it the leaf ${other}`]);
  });

  it('has leaves for the first changes of a record, and none behind one that waits', async () => {
    const draft = draftOf();
    const second = oneOf(draft, ({ change }) => change === 2);
    delete draft.changesOf(second.luid)[0].leaf;
    await draft.reseal(ledger.key);
    expect(told(draft)).toEqual(['has a leaf, and the change before it has none']);
  });

  it('tells how many changes wait, and since when', async () => {
    const draft = draftOf();
    const last = draft.leaves.slice(-3);
    for (const line of last) delete line.leaf;
    await draft.reseal(ledger.key);
    const { told, summary } = verified(draft.text());
    expect(told).toEqual([]);
    expect(summary.log).toMatchObject({ leaves: draft.leaves.length, waiting: 3 });
    const oldest = last.map(({ moment }) => moment).sort()[0];
    expect(summary.unchecked).toContain(
      `3 changes have no leaf yet, the oldest of ${oldest}: a ledger seals within seconds. One that was deleted before leaves nothing to see.`,
    );
  });

  it('has a leaf for each change of a minute before, unless it says that it is behind, or stopped', async () => {
    const waiting = async (seconds: number, more: object = {}, moment?: string) => {
      const draft = draftOf();
      const last = draft.leaves.at(-1);
      delete last.leaf;
      await draft.reseal(ledger.key);
      draft.header.log = { ...draft.header.log, ...more };
      draft.header.moment = moment ?? new Date(Date.parse(last.moment) + seconds * 1000).toISOString();
      const { findings, summary } = verified(draft.text());
      return { told: findings.map(({ detail }) => detail), ...summary };
    };
    const late = (words: string) => [`is not in the log, though it was stored ${words} before the export`];
    expect((await waiting(60)).told).toEqual([]);
    expect((await waiting(61)).told).toEqual(late('1 minutes'));
    expect((await waiting(3 * 3600)).told).toEqual(late('3 hours'));
    expect((await waiting(5 * 86_400)).told).toEqual(late('5 days'));
    expect((await waiting(0, {}, 'once')).told).toHaveLength(1);
    const behind = await waiting(3 * 3600, { behind: true });
    expect(behind.told).toEqual([]);
    expect(behind.unchecked).toContain('Changes from before the log: it is still being made of them.');
    const stopped = await waiting(3 * 3600, { stopped: 'a test' });
    expect(stopped.told).toEqual([]);
    expect(stopped.unchecked).toContain('Changes since the log was stopped, because a test');
    expect(told(await Promise.resolve(draftOf()))).toEqual([]);
  });

  it('has a size that its changes can make up, before anything is kept of it', () => {
    const draft = draftOf();
    const { changes } = draft.header;
    draft.header.log.size = changes + 2;
    expect(told(draft)[0]).toBe(`has a log that has ${changes + 2} leaves of ${changes} changes`);
    draft.header.log.size = changes + 1;
    expect(told(draft)[0]).toMatch(/^lacks 1 of /);
  });

  it('says that something holds only where nothing was found of it', async () => {
    const sentences = (draft: Draft) => verified(draft.text()).summary.checked.join('\n');
    const whole = sentences(draftOf());
    for (const words of [
      'leaves of the log',
      'form, hash',
      'digest and key',
      'own proof',
      'balances',
      'counts for one',
    ])
      expect(whole).toContain(words);
    const moved = draftOf();
    moved.leaves[3].leaf.salt = Buffer.alloc(16).toString('base64');
    expect(sentences(moved)).not.toContain('leaves of the log');
    expect(sentences(moved)).toContain('form, hash');
    const edited = draftOf();
    const line = edited.changes.find(({ kind }) => kind === 'anchor');
    line.text = line.text.replace('"data":{', '"data":{"zzz":1,');
    expect(sentences(edited)).not.toContain('form, hash');
    expect(sentences(edited)).not.toContain('leaves of the log');
    const unsigned = draftOf();
    const other = unsigned.changes.find(({ kind }) => kind === 'anchor');
    other.text = other.text.replace(/"result":"..../, '"result":"AAAA');
    expect(sentences(unsigned)).not.toContain('digest and key');
    expect(sentences(unsigned)).not.toContain('own proof');
    const rich = draftOf();
    rich.lines.find(({ line }) => line === 'balance').available.amount += 1;
    expect(sentences(rich)).not.toContain('balances');
    expect(sentences(rich)).not.toContain('movement');
    expect(sentences(rich)).toContain('leaves of the log');
  });

  it('has a checkpoint of the root, of the size, of the name and by the key of the ledger', async () => {
    const { key } = ledger;
    const other = { secret: new Uint8Array(randomBytes(32)), public: '' };
    const { origin } = draftOf().header.log;
    const hashes = draftOf().hashes();
    const wrong = hashes.map((hash, at) => (at === 7 ? hashes[8]! : hash));
    const set = async (checkpoint: Promise<string>) => {
      const draft = draftOf();
      draft.header.log.checkpoint = await checkpoint;
      return told(draft);
    };
    const name = 'the checkpoint of the export';
    const size = hashes.length;
    expect(await set(signed(key, origin, wrong))).toEqual([
      `has changes whose first ${size} leaves have another root than ${name}: they were altered, or moved`,
    ]);
    expect(await set(signed(key, origin, hashes.slice(0, -1)))).toEqual([
      `has a log of ${size} leaves, and ${name} is of ${size - 1}`,
    ]);
    expect(await set(signed(key, `${origin}x`, hashes))).toEqual([
      `${name} is not to be taken: no known key signed the note`,
    ]);
    expect(await set(signed(other, origin, hashes))).toEqual([
      `${name} is not to be taken: no known key signed the note`,
    ]);
    expect(await set(signed(key, origin, hashes))).toEqual([]);
  });

  it('commits to the kind, the action, the number and the ledger, not to the text alone', async () => {
    for (const member of ['kind', 'luid', 'change', 'action']) {
      const draft = draftOf();
      const line = oneOf(draft, ({ kind, action }) => kind === 'wallet' && action === 'create');
      line[member] = member === 'change' ? 3 : line[member].replace(/.$/, (last: string) => (last === '_' ? '-' : '_'));
      expect(told(draft).join(), member).toContain('have another root than the checkpoint of the export');
    }
  });

  it('has leaves of no other form', () => {
    const set = (leaf: unknown) => {
      const draft = draftOf();
      draft.leaves[3].leaf = leaf;
      return told(draft)[0];
    };
    const { leaf } = draftOf().leaves[3];
    expect(set({ ...leaf, salt: 'AAAA' })).toBe("has no salt in 'leaf'");
    expect(set({ ...leaf, more: 1 })).toBe("has an unknown member 'leaf.more'");
    expect(set({ ...leaf, index: '3' })).toBe("has no index in 'leaf'");
    expect(set({ ...leaf, index: -1 })).toMatch(/^is the leaf -1, and the log has \d+$/);
    expect(set({ index: 3, commitment: leafHash(new Uint8Array(1)) })).toMatch(
      /^has an unknown member 'leaf.commitment'/,
    );
  });

  it('has a log of the form that an export writes', () => {
    const set = (more: object) => {
      const draft = draftOf();
      draft.header.log = { ...draft.header.log, ...more };
      return told(draft)[0];
    };
    expect(set({ more: 1 })).toBe("has a log that has an unknown member 'more'");
    expect(set({ checkpoint: 1 })).toBe('has a log that lacks a text');
    expect(set({ generation: 0 })).toBe('has a log that has no generation');
    expect(set({ size: -1 })).toBe('has a log that has no size');
    const draft = draftOf();
    delete draft.header.log;
    expect(told(draft)).toEqual(['has a leaf, and the export says nothing of a log']);
  });
});

describe('checkpoints from elsewhere (interface/log-verifying#the-order-of-checks)', () => {
  it('shows a log that was set back, made anew, or is of another ledger', async () => {
    const { kept, key, text } = ledger;
    const draft = draftOf();
    const { log } = draft.header;
    const held = async (origin: string, hashes: readonly Uint8Array[]) => [
      { name: 'june', text: await signed(key, origin, hashes) },
    ];
    const hashes = draft.hashes();
    expect(told(text, { checkpoints: kept })).toEqual([]);
    expect(told(text, { checkpoints: await held(log.origin, [...hashes, hashes[0]!]) })).toEqual([
      `has a log of ${hashes.length} leaves, and june is of ${hashes.length + 1}: the export was cut off, or the log set back`,
    ]);
    expect(told(text, { checkpoints: await held(log.origin, hashes.slice(1, 9)) })).toEqual([
      'has changes whose first 8 leaves have another root than june: they were altered, or moved',
    ]);
    expect(told(text, { checkpoints: await held(`${log.origin}/2`, hashes) })).toEqual([
      'june is not to be taken: no known key signed the note',
    ]);
    expect(told(text, { checkpoints: [{ name: 'june', text: 'hello' }] })[0]).toMatch(/^june is not to be taken: /);
    draft.lines = draft.lines.map(({ leaf, ...line }) => line);
    delete draft.header.log;
    expect(told(draft, { checkpoints: kept })).toEqual([
      'has no log in this export: there is nothing to hold checkpoints against',
    ]);
    const { told: all, summary } = verified(draft.text());
    expect(all).toEqual([]);
    expect(summary.unchecked).toContain('Whether changes, or whole records, were left out: the export has no log.');
  });
});

describe('a policy for witnesses (interface/log-verifying#the-order-of-checks)', () => {
  const secrets = ['one', 'two'].map((name) => ({ name, secret: new Uint8Array(randomBytes(32)) }));
  const witnesses = secrets.map(({ name, secret }) => ({
    key: noteKey(`example.org/${name}`, 'cosignature', native.publicKey(secret)),
    sign: (message: Uint8Array) => native.sign(message, secret),
  }));
  const cosigned = async (text: string, by: typeof witnesses) => {
    const note = parseNote(text);
    const more = await Promise.all(by.map(({ key, sign }) => cosign(note.text, 1_800_000_000, key, sign)));
    return formatNote({ ...note, signatures: [...note.signatures, ...more] });
  };
  const policyOf = (log: NoteKey, quorum: string): Policy =>
    parsePolicy(
      [
        `log ${formatVkey(log)}`,
        ...witnesses.map(({ key }, at) => `witness w${at + 1} ${formatVkey(key)}`),
        'group both all w1 w2',
        `quorum ${quorum}`,
        '',
      ].join('\n'),
    );
  const logKey = () => noteKey(draftOf().header.log.origin, 'note', native.publicKey(ledger.key.secret));

  it('takes a checkpoint that the quorum has cosigned, and says which leaves no witness has seen', async () => {
    const draft = draftOf();
    const { log } = draft.header;
    expect(told(draft, { policy: policyOf(logKey(), 'none') })).toEqual([]);
    const { summary: bare } = verified(draft.text(), undefined, { policy: policyOf(logKey(), 'none') });
    expect(bare.log).not.toHaveProperty('cosigned');
    expect(bare.unchecked.join()).toContain('left out, and the log made anew');
    expect(told(draft, { policy: policyOf(logKey(), 'w1') })).toEqual([
      'the checkpoint of the export is not to be taken: the quorum of the policy is not met',
    ]);
    const older = await signed(ledger.key, log.origin, draft.hashes().slice(0, 100));
    log.cosigned = await cosigned(older, witnesses.slice(0, 1));
    const { told: all, summary } = verified(draft.text(), undefined, { policy: policyOf(logKey(), 'w1') });
    expect(all).toEqual([]);
    expect(summary.checked).toContain('The first 100 leaves are what w1 have cosigned.');
    expect(summary.log?.cosigned).toEqual({ size: 100, behind: log.size - 100 });
    expect(summary.unchecked).toContain(
      `Whether the log stays as it is behind leaf 100: no witness has seen ${log.size - 100} leaves.`,
    );
    expect(told(draft, { policy: policyOf(logKey(), 'both') })).toEqual([
      'the cosigned checkpoint of the export is not to be taken: the quorum of the policy is not met',
    ]);
    log.cosigned = await cosigned(older, witnesses);
    expect(told(draft, { policy: policyOf(logKey(), 'both') })).toEqual([]);
  });

  it('refuses one of other changes, of more, by another log, or without any log', async () => {
    const draft = draftOf();
    const { log } = draft.header;
    const hashes = draft.hashes();
    const name = 'the cosigned checkpoint of the export';
    const set = async (some: readonly Uint8Array[]) => {
      log.cosigned = await cosigned(await signed(ledger.key, log.origin, some), witnesses);
      return told(draft, { policy: policyOf(logKey(), 'both') });
    };
    expect(await set(hashes.slice(1, 50))).toEqual([
      `has changes whose first 49 leaves have another root than ${name}: they were altered, or moved`,
    ]);
    expect(await set([...hashes, hashes[0]!])).toEqual([
      `has a log of ${log.size} leaves, and ${name} is of ${log.size + 1}: the export was cut off, or the log set back`,
    ]);
    await set(hashes);
    const stranger = noteKey(log.origin, 'note', native.publicKey(new Uint8Array(randomBytes(32))));
    expect(told(draft, { policy: policyOf(stranger, 'none') })).toEqual([
      `${name} is not to be taken: no known key of ${log.origin} signed the checkpoint`,
    ]);
    draft.lines = draft.lines.map(({ leaf, ...line }) => line);
    delete draft.header.log;
    expect(told(draft, { policy: policyOf(stranger, 'none') })).toHaveLength(1);
  });
});
