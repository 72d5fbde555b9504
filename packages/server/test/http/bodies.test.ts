import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { handleLimits } from '../../src/base/handle.js';
import { jsonLimits } from '../../src/base/json-limits.js';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { newLedger, proofOver, signed, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { Description } from './description.js';
import { exchange, requestText } from './raw.js';
import { expectRefusal, storedChanges, systemKey } from './refusal.js';

const NOT_OBJECT = 'Schema validation error: request/body must be object';
const SENT = ', sent as JSON with content-type: application/json';

describe('bodies (interface/records#request-bodies)', () => {
  const server = withServer();
  let client: TestClient;
  let system: string;

  beforeAll(async () => {
    client = await newLedger(server.current.url);
    system = await systemKey(client);
  });

  /** The text of a create whose data is this text, with a hash that may be wrong: it is never got as far as. */
  const around = (data: string) => `{"hash":"${'0'.repeat(64)}","data":${data},"meta":{"proofs":[]}}`;

  /** Everywhere a body is taken. */
  const ROUTES = [
    ['POST', '/wallets'],
    ['PUT', '/wallets/w'],
    ['DELETE', '/wallets/w'],
    ['POST', '/wallets/w/drop'],
    ['POST', '/wallets/w/proofs'],
    ['POST', '/wallets/w/access/!check'],
    ['PUT', '/ledger'],
    ['POST', '/ledger/proofs'],
    ['POST', '/signers/a/factors'],
  ] as const;

  async function refusedEverywhere(
    text: string | Buffer,
    expected: Parameters<typeof expectRefusal>[1],
    type = 'application/json',
  ) {
    const stored = await storedChanges(server.current);
    for (const [method, path] of ROUTES) {
      const headers = { 'x-ledger': client.ledger!, ...(type === '' ? {} : { 'content-type': type }) };
      const answer = await exchange(server.current.url, [requestText(`${method} /v2${path}`, headers, text)]);
      expectRefusal(answer, expected);
    }
    expect(await storedChanges(server.current)).toBe(stored);
  }

  const malformed = (detail: string | RegExp = 'Malformed JSON body') => ({
    reason: 'api.body-malformed' as const,
    detail,
    signedBy: system,
  });
  const notObject = (sent = '') => ({
    reason: 'record.schema-invalid' as const,
    detail: NOT_OBJECT + sent,
    signedBy: system,
  });

  it.each([
    '{',
    '{"a":1',
    '{"a":1}}',
    "{'a':1}",
    '{a:1}',
    '{"a":1,}',
    '[1,]',
    '{"a":01}',
    '{"a":.5}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":undefined}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{} {}',
    '// {}',
    'hash=1&data=2',
    '<a/>',
    ' ',
    '\uFFFD',
    'null x',
  ])('refuses %j, which is no JSON', async (text) => refusedEverywhere(text, malformed()));

  it('refuses bytes that are no UTF-8, a byte order mark, and other encodings', async () => {
    for (const bytes of [
      Buffer.from([0xff]),
      Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
      Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      Buffer.from([0x22, 0xc0, 0x80, 0x22]),
      Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]),
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')]),
      Buffer.from('{}', 'utf16le'),
      Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
      Buffer.from('{"a":"\u0000"}'),
    ]) {
      await refusedEverywhere(bytes, malformed());
    }
  });

  it.each(['[]', '[{}]', '"text"', '""', '1', '-0', 'true', 'null'])('refuses %s, which is no object', async (text) =>
    refusedEverywhere(text, notObject()),
  );

  it('refuses a body that is missing, empty, or of no or another content type', async () => {
    await refusedEverywhere('', notObject(SENT));
    await refusedEverywhere('', notObject(SENT), '');
    for (const type of [
      '',
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '*/*',
    ]) {
      await refusedEverywhere('{}', notObject(SENT), type);
      // It is not looked at, so what it holds makes no difference.
      await refusedEverywhere('{', notObject(SENT), type);
    }
    for (const type of ['json', '/', 'application/', ';', 'application/json x', '{}', '\u00e9', 'application/jsonp']) {
      await refusedEverywhere('{}', notObject(SENT), type);
    }
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json;',
  ])('takes a body of type %s', async (type) => {
    const body = JSON.stringify(signed({ handle: `typed-${hashOf(type, native).slice(0, 8)}` }, client.key));
    const headers = { 'x-ledger': client.ledger!, 'content-type': type };
    const answer = await exchange(server.current.url, [requestText('POST /v2/wallets', headers, body)]);
    expect(answer.status, answer.text).toBe(201);
  });

  it('refuses keys that reach for a prototype', async () => {
    await refusedEverywhere('{"__proto__":{}}', malformed(/'__proto__'/));
    await refusedEverywhere(
      around('{"custom":{"__proto__":1}}'),
      malformed(/'__proto__', at '\/data\/custom\/__proto__'/),
    );
    await refusedEverywhere(around('{"\\u005f_proto__":1}'), malformed(/'__proto__'/));
    await refusedEverywhere(around('{"constructor":{"prototype":{}}}'), malformed(/'constructor'/));
  });

  it('refuses text that no record keeps', async () => {
    await refusedEverywhere(around('{"handle":"\\u0000"}'), malformed(/U\+0000, at '\/data\/handle'/));
    await refusedEverywhere(around('{"\\u0000":1}'), malformed(/U\+0000/));
    for (const text of ['\\ud800', '\\udc00', '\\udc00\\ud800', 'a\\ud83d', '\\ud83d\\ud83d\\ude00']) {
      await refusedEverywhere(
        around(`{"custom":{"a":"${text}"}}`),
        malformed(/lone surrogate\), at '\/data\/custom\/a'/),
      );
      await refusedEverywhere(around(`{"custom":{"${text}":1}}`), malformed(/lone surrogate/));
    }
  });

  it('refuses numbers that would not survive', async () => {
    const inexact = malformed(/a number that cannot be represented exactly, at '\/data\/custom\/n'/);
    for (const number of ['9007199254740992', '-9007199254740992', '1e400', '-1e400', '1e16', `1${'0'.repeat(400)}`]) {
      await refusedEverywhere(around(`{"custom":{"n":${number}}}`), inexact);
    }
  });

  const custom = (handle: string, value: JsonObject) => client.create('/wallets', { handle, custom: value });

  it('keeps the greatest numbers and text beyond the basic plane as they are', async () => {
    const value = {
      most: Number.MAX_SAFE_INTEGER,
      least: Number.MIN_SAFE_INTEGER,
      tiny: 5e-324,
      text: '😀 \u0001 \ufffd',
    };
    const answer = await custom('edges', value);
    expect(answer.status, answer.text).toBe(201);
    expect((await client.get('/wallets/edges')).body.data.custom).toEqual(value);
  });

  it('takes nesting up to the bound, and refuses what is deeper', async () => {
    // The body, its data and custom are three levels.
    const nested = (levels: number) => {
      let value: JsonObject = {};
      for (let level = 1; level < levels - 3; level += 1) value = { a: value };
      return { a: value };
    };
    expect((await custom('deep', nested(jsonLimits.depth))).status).toBe(201);
    const deeper = malformed(new RegExp(`is nested deeper than ${jsonLimits.depth} levels`));
    expectRefusal(await custom('deeper', nested(jsonLimits.depth + 1)), deeper);
    expectRefusal(await custom('deeper', nested(100)), deeper);
    for (const depth of [jsonLimits.depth + 1, 100, 100_000]) {
      await refusedEverywhere(`${'['.repeat(depth)}${']'.repeat(depth)}`, deeper);
    }
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    await refusedEverywhere(objects, deeper);
    await refusedEverywhere('['.repeat(1_000_000), malformed());
  });

  it('takes as many values as the bound says, and refuses one more', async () => {
    const body = signed({ handle: 'many', custom: { list: [] } }, client.key);
    const frame = 3 + 2 + 1 + 1 + Object.keys(body.meta.proofs[0]!).length + 2 + 1;
    const list = (length: number) => Array.from({ length }, () => 0);
    expect((await custom('many', { list: list(jsonLimits.values - frame) })).status).toBe(201);
    expectRefusal(
      await custom('more', { list: list(jsonLimits.values - frame + 1) }),
      malformed(new RegExp(`holds more than ${jsonLimits.values} values`)),
    );
  });

  it('takes a body as long as the bound says, and refuses one byte more', async () => {
    const data = (handle: string, length: number) => ({ handle, custom: { text: 'x'.repeat(length) } });
    const frame = JSON.stringify(signed(data('big-1', 0), client.key)).length;
    const fits = JSON.stringify(signed(data('big-1', bodyLimits.bytes - frame), client.key));
    expect(fits).toHaveLength(bodyLimits.bytes);
    const long = JSON.stringify(signed(data('big-2', bodyLimits.bytes - frame + 1), client.key));
    expect(long).toHaveLength(bodyLimits.bytes + 1);
    const tooLarge = { ...malformed(`Request body is larger than ${bodyLimits.bytes} bytes`), status: 413 };
    expect((await client.call('POST', '/wallets', fits)).status).toBe(201);
    const refused = await client.call('POST', '/wallets', long);
    expectRefusal(refused, tooLarge);
    const described = await Description.of(server.current.url);
    expect(described.answerErrors('POST', '/wallets', refused.status, refused.body)).toBeUndefined();
    expectRefusal(await client.call('POST', '/wallets', long, { 'content-type': 'text/plain' }), tooLarge);
    const headers = { 'x-ledger': client.ledger!, 'content-type': 'application/json' };
    const chunks = { ...headers, 'transfer-encoding': 'chunked' };
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const chunked = requestText('POST /v2/wallets', chunks, chunk.repeat(17));
    expectRefusal(await exchange(server.current.url, [chunked]), tooLarge);
    // Said to be longer than it is: refused before it is waited for.
    const claimed = requestText('POST /v2/wallets', { ...headers, 'content-length': String(bodyLimits.bytes + 1) });
    expectRefusal(await exchange(server.current.url, [claimed]), tooLarge);
    expectRefusal(await client.get('/wallets/big-2'), { reason: 'record.not-found', signedBy: system });
  });

  it('takes a handle as long as the bound says, and refuses one character more', async () => {
    const handle = 'h'.repeat(handleLimits.characters);
    expect((await client.create('/wallets', { handle })).status).toBe(201);
    expect((await client.get(`/wallets/${handle}`)).status).toBe(200);
    expectRefusal(await client.create('/wallets', { handle: `${handle}h` }), {
      reason: 'record.schema-invalid',
      detail: `Schema validation error: request/body/data/handle must NOT have more than ${handleLimits.characters} characters`,
      signedBy: system,
    });
    expectRefusal(await client.get(`/wallets/${handle}h`), { reason: 'record.not-found', signedBy: system });
  });

  it('tells of over-long names in Unicode, cut where it may', async () => {
    for (let length = 1_000; length < 1_030; length += 1) {
      const answer = await client.create('/wallets', { handle: 'w', [`${'a'.repeat(length)}😀😀😀😀`]: 1 });
      expectRefusal(answer, { reason: 'record.schema-invalid', signedBy: system });
    }
  });

  it('ignores what a read sends as its body', async () => {
    await client.create('/wallets', { handle: 'read' });
    for (const body of ['{', '', 'x'.repeat(100)]) {
      const headers = { 'x-ledger': client.ledger!, 'content-type': 'application/json' };
      const answer = await exchange(server.current.url, [requestText('GET /v2/wallets/read', headers, body)]);
      expect(answer.status).toBe(200);
    }
  });

  it('takes a partial proof for none where nobody signs', async () => {
    const body = signed({ handle: 'partial' }, client.key);
    const { custom: said } = body.meta.proofs[0]!;
    expectRefusal(await client.call('POST', '/wallets', { ...body, meta: { proofs: [{ custom: said! }] } }), {
      reason: 'crypto.signature-missing',
      signedBy: system,
    });
    expectRefusal(await client.call('POST', '/wallets', { ...body, meta: {} }), {
      reason: 'crypto.signature-missing',
      signedBy: system,
    });
    const { meta: _, ...bare } = body;
    expectRefusal(await client.call('POST', '/wallets', bare), {
      reason: 'crypto.signature-missing',
      signedBy: system,
    });
  });

  it('takes a body without a hash for none where no token vouches for it, whatever is signed', async () => {
    const { hash: _, ...body } = signed({ handle: 'hashless' }, client.key);
    expectRefusal(await client.call('POST', '/wallets', body), {
      reason: 'record.schema-invalid',
      signedBy: system,
    });
    expect((await client.get('/wallets/hashless')).status).toBe(404);
  });

  it(`takes ${recordLimits.proofs} proofs less the ledger's, and refuses more than a record carries`, async () => {
    const body = (handle: string, count: number) => {
      const { hash, data } = signed({ handle }, client.key);
      return {
        hash,
        data,
        meta: { proofs: Array.from({ length: count }, (_, n) => proofOver(hash, client.key, { n })) },
      };
    };
    expectRefusal(await client.call('POST', '/wallets', body('proven', recordLimits.proofs + 1)), {
      reason: 'record.invalid',
      detail: `Record proofs limit of ${recordLimits.proofs} exceeded`,
      signedBy: system,
    });
    expect((await client.call('POST', '/wallets', body('proven', recordLimits.proofs - 1))).status).toBe(201);
  });
});
