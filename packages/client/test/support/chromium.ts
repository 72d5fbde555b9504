import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Where Chromium is, where it is installed: it is never downloaded. Headless Chromium is preferred, which loads a page with two
 * thirds of the processor.
 */
export const chromium = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

if (chromium === undefined && process.env.REQUIRE_CHROMIUM === '1')
  throw new Error('Chromium is required, and missing');

/** How every Chromium of the tests is started: as root, and asking nobody but the test. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Of a page that has a name: one that ends in `.test` is this machine. */
const ALONE = ['--headless', '--host-resolver-rules=MAP *.test 127.0.0.1'];

/**
 * Runs a module in a page of its own origin, whose function `run` gets the argument, and gives what it returns.
 *
 * @param host of the page: `localhost` is trusted like TLS, a name that ends in `.test` is this machine, and is not
 */
export async function inChromium(code: string, argument: unknown, host = 'localhost'): Promise<unknown> {
  const page = `<!doctype html><meta charset="utf-8"><title>test</title><script type="module">
    const say = (said) => fetch('/said', { method: 'POST', body: JSON.stringify(said) });
    try {
      const { run } = await import('/module.js');
      await say({ returned: await run(${JSON.stringify(argument)}) });
    } catch (error) {
      await say({ thrown: String(error?.stack ?? error) });
    }
  </script>`;
  let say: (said: { returned?: unknown; thrown?: string }) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const said = new Promise<{ returned?: unknown; thrown?: string }>((resolve, reject) => {
    say = resolve;
    fail = reject;
  });
  const server = createServer(async (request, response) => {
    if (request.url === '/said') say(JSON.parse(await text(request)));
    const isModule = request.url === '/module.js';
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? code : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const home = await mkdtemp(join(tmpdir(), 'countersign-chromium-'));
  const browser = spawn(chromium ?? '', [...FLAGS, ...ALONE, `--user-data-dir=${home}`, `http://${host}:${port}/`], {
    stdio: 'ignore',
  });
  browser.once('exit', (code) => fail(new Error(`Chromium has ended with ${code}`)));
  try {
    const { returned, thrown } = await said;
    if (thrown !== undefined) throw new Error(thrown);
    return returned;
  } finally {
    browser.removeAllListeners('exit');
    const ended = new Promise((resolve) => browser.once('exit', resolve));
    if (browser.exitCode === null && browser.kill()) await ended;
    server.closeAllConnections();
    server.close();
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
