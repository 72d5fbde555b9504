import { beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../support/seed.js';
import { verified } from '../support.js';
import { Draft, type DraftLine } from './draft.js';
import { type SealedLedger, sealedLedger } from './sealed-ledger.js';

let ledger: SealedLedger;
beforeAll(async () => {
  ledger = await sealedLedger();
}, 600_000);

/** Files, of each of which every line is altered somewhere. */
const ROUNDS = process.env.LONG_TESTS ? 120 : 18;

const found = (text: string) => verified(text).findings.map(({ detail }) => detail);

describe('a line that would exhaust the verifier', () => {
  const deep = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`;

  it('is found where it is nested too deeply, outside and inside of texts', () => {
    const [first, second, ...others] = ledger.text.split('\n');
    const nested = (line: string) => [first, line, second, ...others].join('\n');
    expect(found(nested(deep('[', ']')))).toContain('Line 2 is nested deeper than any of an export');
    expect(found(nested(deep('{"a":', '}')))).toContain('Line 2 is nested deeper than any of an export');
    const quoted = `{"line":"change","a\\\\":${deep('[', ']')}}`;
    expect(found(nested(quoted))).toContain('Line 2 is nested deeper than any of an export');
    for (const text of [deep('[', ']'), `{"data":{"custom":"${'\\\\'.repeat(9)}","more":${deep('[', ']')}}}`]) {
      const draft = Draft.of(ledger.text);
      draft.changes[3].text = text;
      expect(found(draft.text()).join()).toContain("is nested deeper in 'text' than any of an export");
    }
  });

  it('is found where it is too long', () => {
    const [first, ...others] = ledger.text.split('\n');
    const long = `{"line":"change","a":"${'x'.repeat(64 * 2 ** 20)}"}`;
    expect(found([first, long, ...others].join('\n'))).toContain('Line 2 is longer than any of an export');
  });

  it('is found where a name in it is too long', () => {
    const judged = (sort: string, member: string, text: string) => {
      const draft = Draft.of(ledger.text);
      draft.lines.find(({ line }) => line === sort)[member] = text;
      return found(draft.text()).join();
    };
    for (const [sort, member] of [
      ['change', 'luid'],
      ['entry', 'wallet'],
      ['entry', 'intent'],
      ['balance', 'wallet'],
    ] as const) {
      expect(judged(sort, member, `$wlt.${'-'.repeat(18)}`)).toContain(`has no luid in '${member}'`);
      expect(judged(sort, member, `$wlt.${'-'.repeat(17)}`)).not.toContain('has no luid');
    }
    expect(judged('entry', 'symbol', 'x'.repeat(256))).toContain("has no name in 'symbol'");
    expect(judged('entry', 'symbol', 'x'.repeat(255))).not.toContain('has no name');
  });

  it('is none where brackets stand in strings', () => {
    const draft = Draft.of(ledger.text);
    const line = draft.changes[3];
    const record = JSON.parse(line.text);
    record.data.custom = { text: `\\"${'[{'.repeat(1000)}` };
    line.text = JSON.stringify(record);
    expect(found(draft.text()).join()).not.toContain('nested');
  });

  it('is found where its text is JSON, and no record', () => {
    const { changes } = Draft.of(ledger.text);
    const places = ['wallet', 'intent', 'signer'].map((kind) => changes.findLastIndex((line) => line.kind === kind));
    const { meta: _, ...bare } = JSON.parse(changes[places[0]!].text);
    const { data: __, ...empty } = JSON.parse(changes[places[0]!].text);
    for (const at of places) {
      for (const text of ['null', '1', '[]', '{}', '"a"', JSON.stringify(bare), JSON.stringify(empty)]) {
        const draft = Draft.of(ledger.text);
        draft.changes[at].text = text;
        expect(found(draft.text()).join(), text).toMatch(
          /is not a record|has no (hash|data|meta)|names another record/,
        );
        // One that more changes follow.
        const first = draft.changesOf(draft.changes[at].luid)[0];
        first.text = text;
        expect(found(draft.text()).join(), text).toMatch(
          /is not a record|has no (hash|data|meta)|names another record/,
        );
      }
    }
  });

  it('is found where it has half of a character, which nothing can hash', () => {
    const draft = Draft.of(ledger.text);
    const line = draft.changes[3];
    const record = JSON.parse(line.text);
    record.data.custom = { text: '\ud800' };
    line.text = JSON.stringify(record);
    expect(found(draft.text())).toContain('has a text that is not Unicode');
  });

  it('uses no proof of another record by one that does not verify', () => {
    const draft = Draft.of(ledger.text);
    const [one, other] = draft.changes.filter(({ kind, change }) => kind === 'wallet' && change === 1);
    const record = JSON.parse(one.text);
    record.meta.proofs[0].digest = JSON.parse(other.text).meta.proofs[0].digest;
    one.text = JSON.stringify(record);
    const { findings } = verified(draft.text());
    expect(findings).toContainEqual(expect.objectContaining({ luid: one.luid, rule: 'proof' }));
    expect(findings.filter(({ luid }) => luid === other.luid)).toEqual([]);
  });

  const odd = [{ toString: 1, valueOf: 1 }, 'constructor', '__proto__', null, -1e300, ['\ud800']];

  it.each(['amount', 'wallet', 'symbol', 'handle', 'schema', 'inputs'])(
    'is found where something else stands in place of the %s of entries',
    (member) => {
      for (const value of odd) {
        const draft = Draft.of(ledger.text);
        for (const line of draft.lines.filter(({ kind, text }) => kind === 'intent' && text)) {
          const body = JSON.parse(line.text);
          for (const { custom } of body.meta.proofs) if (custom?.status === 'resolved') custom[member] = value;
          line.text = JSON.stringify(body);
        }
        const { findings } = verified(draft.text());
        expect(findings).toContainEqual(expect.objectContaining({ kind: 'intent', rule: 'trail' }));
      }
    },
  );

  it('is found, whatever stands in place of a value', () => {
    const random = seeded();
    for (let round = 0; round < ROUNDS; round += 1) {
      const draft = Draft.of(ledger.text);
      for (const line of draft.lines.slice(1, -1)) {
        const [body, into] = parsedIn(line);
        const places = placesIn(body).filter(({ of }) => of !== line);
        const { of, member } = places[Math.floor(random() * places.length)]!;
        of[member] = odd[round % odd.length];
        if (into !== undefined) line[into] = JSON.stringify(body);
      }
      expect(found(draft.text()).length).toBeGreaterThan(100);
    }
  });
});

/** What a line says beside its own members: the record, or what is sent; and in which member it stands as text. */
function parsedIn(line: DraftLine): [body: DraftLine, into: string | undefined] {
  const into = ['text', 'event', 'state'].find((member) => /^\{/.test(line[member] ?? ''));
  return into === undefined ? [{ line }, undefined] : [JSON.parse(line[into]), into];
}

/** Where values stand, within one another. */
function placesIn(of: DraftLine): { of: DraftLine; member: string }[] {
  if (typeof of !== 'object' || of === null) return [];
  return Object.keys(of).flatMap((member) => [{ of, member }, ...placesIn(of[member])]);
}
