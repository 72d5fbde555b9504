import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verified } from '../support.js';
import { Draft } from './draft.js';
import { type SealedLedger, sealedLedger } from './sealed-ledger.js';

let ledger: SealedLedger;
beforeAll(async () => {
  ledger = await sealedLedger();
}, 600_000);
afterAll(() => ledger.server.stop());

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
        expect(found(draft.text()).join(), text).toMatch(/is no record|has no (hash|data|meta)|names another record/);
        // One that more changes follow.
        const first = draft.changesOf(draft.changes[at].luid)[0];
        first.text = text;
        expect(found(draft.text()).join(), text).toMatch(/is no record|has no (hash|data|meta)|names another record/);
      }
    }
  });

  it('is found where it has half of a character, which nothing can hash', () => {
    const draft = Draft.of(ledger.text);
    const line = draft.changes[3];
    const record = JSON.parse(line.text);
    record.data.custom = { text: '\ud800' };
    line.text = JSON.stringify(record);
    expect(found(draft.text())).toContain('has a text that is no Unicode');
  });
});
