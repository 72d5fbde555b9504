import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { bundle } from './support/bundle.js';
import { chromium, inChromium } from './support/chromium.js';
import { Liar } from './support/liar.js';

if (chromium === undefined) console.warn('Chromium is not installed: the tests of the client in a browser are skipped');

const server = withServer();
let liar: Liar;
beforeAll(async () => {
  liar = await Liar.before(server.current.url);
  liar.lie = (exchange) => {
    exchange.answerHeaders = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' };
    if (exchange.body?.data?.custom) exchange.body.data.custom.tier = 'platinum';
    return undefined;
  };
});
afterAll(() => liar.stop());

describe.skipIf(chromium === undefined)('in Chromium, from a page of another origin', { timeout: 120_000 }, () => {
  it('signs, verifies, lists and drops, and finds a lie', async () => {
    const code = await bundle("export { run } from '../in-browser.js';");
    const said = await inChromium(code, { server: server.current.url, liar: liar.url });
    expect(said).toEqual({
      luid: expect.stringMatching(/^\$wlt\./),
      handles: ['shop'],
      versions: 3,
      refused: true,
      lie: 'hash',
      isSecure: true,
      key: 44,
      origin: expect.stringMatching(/^http:\/\/localhost:/),
    });
  });

  it('works without WebCrypto, given the suite of the protocol', async () => {
    const code = await bundle("export { run } from '../in-insecure-page.js';");
    const said = await inChromium(
      code,
      { server: server.current.url.replace('127.0.0.1', 'ledger.test') },
      'page.test',
    );
    expect(said).toMatchObject({ handle: 'shop', isSecure: false, missing: expect.stringContaining('over HTTPS') });
  });
});
