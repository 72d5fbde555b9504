import { hash as hashOf, type JsonObject, type RecordEnvelope, signProof } from '@countersign/protocol';
import { commitmentOf } from '@countersign/protocol/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../../src/auth/native-suite.js';
import { sha256 } from '../../../src/base/sha256.js';
import type { ServerKey } from '../../../src/keys/signing-key.js';
import { kinds } from '../../../src/kinds/registry.js';
import { dropped, erase, MAY_ERASE } from '../../erasure/support.js';
import { MoneyScene, transfer } from '../../money/scene.js';
import { ok, stored } from '../../support/scene.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { exported, verified } from '../support.js';
import { Draft, type DraftLine, publicOf, systemKey } from './draft.js';

const DROPPABLE = kinds.filter(({ lifecycle }) => lifecycle.erasable === 'dropped').map(({ name }) => name);
const KEPT = kinds.filter(({ lifecycle }) => lifecycle.erasable === undefined).map(({ name }) => name);

let server: RunningServer;
let scene: MoneyScene;
let text: string;
let key: ServerKey;
/** Changes without a text that the ledger is to have. */
let erasedChanges = 0;

beforeAll(async () => {
  server = await startServer();
  scene = await MoneyScene.make(server.url, ['alice', 'bob', 'gone'], { access: MAY_ERASE });
  const { client } = scene;
  await stored(client, 'domain', { handle: 'north' });
  await scene.issue('alice', 100);
  await scene.done([transfer('alice', 'gone', 40), transfer('alice', 'bob', 40)]);
  await scene.done([
    { action: 'limit', wallet: { handle: 'gone' }, symbol: { handle: 'usd' }, metric: 'minBalance', amount: -5 },
  ]);
  await scene.done([transfer('gone', 'bob', 45)]);
  await scene.issue('gone', 5);
  const wallet = ok(await client.get('/wallets/gone')).body as RecordEnvelope;
  ok(await client.drop('/wallets/gone', wallet));
  await scene.add(['gone']);
  await scene.issue('gone', 7);
  const path = `/wallets/${wallet.luid}`;
  const changes = ok(await client.get(`${path}/changes`)).body.data;
  ok(await erase(client, { kind: 'wallet', record: wallet, collection: '/wallets', path, made: {}, changes }));
  erasedChanges += changes.length;
  for (const name of DROPPABLE) {
    const one = await dropped(client, name);
    ok(await erase(client, one));
    erasedChanges += one.changes.length;
  }
  text = await exported(server, client.ledger!);
  key = await systemKey(server, client.ledger!);
}, 600_000);
afterAll(() => server.stop());

const found = (draft: Draft) => verified(draft.text()).findings.map(({ detail }) => detail);

describe('an export of a ledger with erased records (interface/log-verifying#what-an-export-holds)', () => {
  it('verifies, and says how many changes are erased', () => {
    const { told, summary } = verified(text);
    expect(told).toEqual([]);
    expect(summary.log).toMatchObject({ leaves: summary.changes, waiting: 0, erased: erasedChanges });
    expect(summary.checked[0]).toContain(`${summary.changes - erasedChanges} versions of `);
    expect(summary.unchecked.join()).toContain('2 wallets whose texts were erased');
    expect(summary.unchecked.join()).toContain(`${erasedChanges} changes whose text was erased`);
  });

  it('has the balance of the next wallet of an erased handle, where no erased intent has moved any', () => {
    const draft = Draft.of(text);
    const balance = draft.lines.find(({ line, available }) => line === 'balance' && available.amount === 7);
    balance.available.amount = 8;
    expect(found(draft)).toContain('has 8 available and 0 reserved of usd, where the proofs of intents give 7 and 0');
  });

  it('says by nothing which action an erased change had, and when it was', () => {
    const draft = Draft.of(text);
    const line = draft.changes.find(({ text }) => text === null);
    Object.assign(line, { action: 'update', moment: '1999-01-01T00:00:00.000Z' });
    expect(found(draft)).toEqual([]);
  });
});

it('shows changes that are erased by another commitment, by none, or in part', () => {
  const told = (draft: Draft) => verified(draft.text()).findings.filter(({ rule }) => rule === 'log');
  const draft = Draft.of(text);
  const first = draft.changes.find((line) => line.text === null);
  const { leaf } = first;
  first.leaf = { ...leaf, commitment: Buffer.alloc(32).toString('base64') };
  expect(told(draft)[0]!.detail).toContain('have another root than the checkpoint of the export');
  first.leaf = { ...leaf, commitment: 'AAAA' };
  expect(told(draft)[0]!.detail).toBe("has no commitment in 'leaf'");
  first.leaf = undefined;
  expect(told(draft)[0]!.detail).toBe('was erased, and has no leaf that says what it was');
  const { findings } = verified(draft.text().replace('"hash":null,"text":null', '"hash":null,"text":""'));
  expect(findings.some(({ detail }) => detail.endsWith('is erased in part'))).toBe(true);
});

/** Takes the text of changes away, as anyone can without a key. */
function closed(draft: Draft, lines: readonly DraftLine[]): void {
  const { luid: ledger } = draft.header.ledger;
  for (const line of lines) {
    if (line.text === null) continue;
    const salt = Buffer.from(line.leaf.salt, 'base64');
    const commitment = Buffer.from(commitmentOf({ ...line, salt, ledger }, sha256)).toString('base64');
    Object.assign(line, { hash: null, text: null, leaf: { index: line.leaf.index, commitment } });
  }
}

const NOTHING_SAYS = 'has changes without a text, and none that says they were erased';

describe('changes that somebody calls erased', () => {
  const ofKind = (draft: Draft, kind: string) =>
    draft.changes.filter((line) => line.kind === kind && line.action === 'create' && line.text !== null).at(-1);

  it.each(kinds.map(({ name }) => name))('are found where the ledger has not signed it: %s', async (kind) => {
    const draft = Draft.of(text);
    let line = ofKind(draft, kind);
    if (!line) {
      // Each record of the kind is erased: its statement is hidden, too.
      line = draft.changes.find((one) => one.kind === kind && one.action === 'erase');
    }
    closed(draft, draft.changesOf(line.luid));
    draft.lines = draft.lines.filter((one) => !(one.line === 'current' && one.luid === line.luid));
    const { findings } = verified(draft.text());
    expect(findings).toContainEqual({ kind, luid: line.luid, rule: 'history', detail: NOTHING_SAYS });
    expect(findings.filter(({ rule }) => rule === 'log')).toEqual([]);
  });

  it('are found where some of a record are left', () => {
    const draft = Draft.of(text);
    const bob = draft.changes.find(({ kind, change, text }) => kind === 'intent' && change === 1 && text !== null);
    const all = draft.changesOf(bob.luid);
    closed(draft, all.slice(0, 1));
    expect(found(draft)).toContain(NOTHING_SAYS);
    const other = Draft.of(text);
    closed(other, other.changesOf(bob.luid).slice(1));
    expect(found(other)).toContain(NOTHING_SAYS);
  });

  it('are found where a statement of another record, or nobody of the ledger, says so', async () => {
    const stated = (alter: (data: JsonObject, record: RecordEnvelope) => void, secret = key.secret, rank = 0) => {
      const draft = Draft.of(text);
      const line = draft.changes.filter((one) => one.kind === 'anchor' && one.action === 'erase')[rank];
      const record = JSON.parse(line.text) as RecordEnvelope;
      alter(record.data, record);
      restate(record, secret);
      Object.assign(line, { hash: record.hash, text: JSON.stringify(record), moment: record.meta.moment });
      return { draft, line };
    };
    const check = async (alter: Parameters<typeof stated>[0], detail: string, secret?: Uint8Array) => {
      const { draft } = stated(alter, secret);
      await draft.reseal(key);
      expect(found(draft)).toEqual([detail]);
    };
    await check((data) => {
      data.luid = '$anc.other';
    }, 'says that another record is erased');
    await check((data) => {
      data.change = 1;
    }, 'says that 1 changes are erased');
    await check((data) => {
      data.more = 1;
    }, 'has other data than an erasure');
    await check((_, { meta }) => {
      meta.status = 'dropped';
    }, 'has another status, moment, owner or label than an erasure');
    await check((_, { meta }) => {
      meta.owners = [meta.proofs[0]!.public];
    }, 'has another status, moment, owner or label than an erasure');
    await check((_, { meta }) => {
      meta.proofs.at(-1)!.custom!.luid = '$anc.other';
    }, 'has no proof of its ledger for the erasure');
    await check((_, { meta }) => {
      meta.proofs.at(-1)!.custom!.status = 'dropped';
    }, 'has no proof of its ledger for the erasure');
    await check(() => {}, 'has no proof of its ledger for the erasure', scene.client.key.secret);
  });

  it('are found where the statement has another hash, or a proof that does not verify', async () => {
    for (const [alter, detail] of [
      [
        (record: RecordEnvelope) => {
          record.data.reason = 'another';
        },
        'has another hash than its data',
      ],
      [
        (record: RecordEnvelope) => {
          record.meta.proofs.at(-1)!.custom!.more = 1;
        },
        'that does not verify',
      ],
    ] as const) {
      const draft = Draft.of(text);
      const line = draft.changes.find((one) => one.kind === 'anchor' && one.action === 'erase');
      const record = JSON.parse(line.text) as RecordEnvelope;
      alter(record);
      line.text = JSON.stringify(record);
      await draft.reseal(key);
      expect(found(draft)).toEqual([expect.stringContaining(detail)]);
    }
  });

  it('are found where they are other ones than the statement says', async () => {
    const draft = Draft.of(text);
    const line = draft.changes.find((one) => one.kind === 'anchor' && one.action === 'erase');
    const [first] = draft.changesOf(line.luid);
    draft.remove([first]);
    await draft.reseal(key);
    expect(found(draft)).toEqual(['follows change 0: versions are missing, or not in order']);
    const other = Draft.of(text);
    const [one] = other.changesOf(line.luid);
    one.kind = 'wallet';
    expect(found(other)).toContain('was erased, and the change before it is of a wallet');
    const short = Draft.of(text);
    const last = short.changesOf(line.luid).at(-2);
    short.remove([last]);
    await short.reseal(key);
    expect(found(short)).toEqual([expect.stringMatching(/^erases a record that has \d changes here$/)]);
  });

  it('are found where the statement is not in the log, or the record is in the index', async () => {
    const draft = Draft.of(text);
    const line = draft.changes.find((one) => one.kind === 'anchor' && one.action === 'erase');
    delete line.leaf;
    await draft.reseal(key);
    expect(found(draft)).toEqual(['says that its record is erased, and is not in the log']);
    const other = Draft.of(text);
    const at = other.lines.findIndex(
      (one) => one.line === 'change' && one.luid === line.luid && one.action === 'erase',
    );
    other.lines.splice(at + 1, 0, { line: 'current', luid: line.luid, change: line.change, order: 1 });
    expect(found(other)).toEqual(['is named as current apart from its versions']);
  });

  it.each(KEPT)('are found where no ledger erases such: %s', async (kind) => {
    const draft = Draft.of(text);
    const line = ofKind(draft, kind);
    const lines = draft.changesOf(line.luid);
    closed(draft, lines);
    const statement = draft.changes.find((one) => one.action === 'erase');
    const record = JSON.parse(statement.text) as RecordEnvelope;
    Object.assign(record.data, { luid: line.luid, change: lines.length });
    record.luid = line.luid;
    record.meta.proofs.at(-1)!.custom!.luid = line.luid;
    restate(record, key.secret);
    const change = lines.length + 1;
    const { moment } = record.meta;
    const leaf = { index: draft.leaves.length, salt: Buffer.alloc(16).toString('base64') };
    const more = {
      kind,
      luid: line.luid,
      change,
      action: 'erase',
      moment,
      hash: record.hash,
      text: JSON.stringify(record),
      leaf,
    };
    draft.lines.splice(draft.lines.indexOf(lines.at(-1)) + 1, 0, { line: 'change', ...more });
    draft.lines = draft.lines.filter((one) => !(one.line === 'current' && one.luid === line.luid));
    draft.header.changes += 1;
    await draft.reseal(key);
    const { findings } = verified(draft.text());
    expect(findings).toContainEqual({
      kind,
      luid: line.luid,
      change,
      rule: 'history',
      detail: `erases a ${kind}, which stays for good`,
    });
  });

  it('are found of a wallet with a movement that no proof tells of', () => {
    const draft = Draft.of(text);
    const { luid } = draft.changes.find((one) => one.kind === 'wallet' && one.action === 'erase');
    const entries = draft.lines.filter((one) => one.line === 'entry');
    const entry = entries.find(({ wallet }) => draft.changesOf(wallet).at(-1).action === 'erase');
    expect(entry, luid).toBeDefined();
    entry.moment = '2001-01-01T00:00:00.000Z';
    expect(found(draft).join()).toContain('which is erased, and its proofs tell none like it');
    const other = Draft.of(text);
    const balance = other.lines.find((one) => one.line === 'balance' && one.wallet === entry.wallet);
    balance.available.amount = 3;
    expect(found(other)).toContain('is erased, and has a balance of usd');
  });
});

/** Hashes and signs a statement anew, by one key in the name of all. */
function restate(record: RecordEnvelope, secret: Uint8Array): void {
  record.hash = hashOf(record.data, native);
  const own = publicOf({ secret });
  record.meta.proofs = record.meta.proofs.slice(-1).map(({ custom, ...others }) => {
    const { digest, result } = signProof({ hash: record.hash, custom: custom!, secret, public: own }, native);
    return { ...others, custom: custom!, public: own, digest, result };
  });
}
