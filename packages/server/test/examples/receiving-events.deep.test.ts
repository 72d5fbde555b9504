import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENT_BOUNDS, verifyEvent, verifyWebhook } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonLimits } from '../../src/base/json-limits.js';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { newLedger, systemKeyOf } from '../support/client.js';
import { read, root } from '../support/documents.js';
import { withServer } from '../support/server.js';

const PAGE = 'docs/interface/receiving-events.md';

/** The block of the page with this mark. */
function block(mark: string): string {
  const [, text] = new RegExp(`^\`\`\`${mark}\n(.*?)^\`\`\`$`, 'ms').exec(read(PAGE)) ?? [];
  if (text === undefined) throw new Error(`${PAGE} has no block ${mark}`);
  return text;
}

/** The example as it is sent: on one line. */
const body = JSON.stringify(JSON.parse(block('json')));
const headers = Object.fromEntries(
  block('text headers')
    .trim()
    .split('\n')
    .map((line) => line.split(': ')),
) as Record<string, string>;
const key = /^key=(\S+)$/m.exec(block('sh headers'))?.[1] ?? '';
const now = Number(headers['webhook-timestamp']) * 1000;

/** Runs code of the page, with what it exports, at the time of the example. @returns what `expression` is, as JSON */
function run(code: string, expression: string): { status: number | null; out: string; err: string } {
  const setting = `Date.now = () => ${now};
    const headers = ${JSON.stringify(headers)}, body = Buffer.from(${JSON.stringify(body)}), key = ${JSON.stringify(key)};`;
  const script = `${code}\n${setting}\nconsole.log(JSON.stringify(${expression}));`;
  const args = ['--input-type=module', '-e', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, out: stdout.trim(), err: stderr };
}

describe('the example of docs/interface/receiving-events.md', () => {
  it('is what the ledger whose key it tells would send, at the first attempt', () => {
    const event = verifyEvent(body, key);
    expect(verifyWebhook(headers, body, key, { now })).toEqual({ id: event.handle, timestamp: now / 1000 });
    expect(Math.floor(Date.parse(event.moment) / 1000)).toBe(now / 1000);
  });

  it('is verified by the code with the package', () => {
    const { out, err } = run(block('js verify'), 'receive(headers, body, key)');
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual(verifyEvent(body, key));
    expect(run(block('js verify'), `receive(headers, Buffer.concat([body, body]), key)`).err).toContain('WebhookError');
    expect(run(block('js verify'), 'receive({}, body, key)').err).toContain('WebhookError: malformed');
  });

  it.each([
    ['isSigned(headers, body, key)', 'true'],
    ['isSigned(headers, Buffer.concat([body, body]), key)', 'false'],
    ["isSigned({ ...headers, 'webhook-id': 'evt_-3DaeYu7Qm_0cCfFk' }, body, key)", 'false'],
    ["isSigned({ ...headers, 'webhook-timestamp': '1795350370' }, body, key)", 'false'],
    ["isSigned({ ...headers, 'webhook-timestamp': '1795350069' }, body, key)", 'false'],
    ["isSigned({ ...headers, 'webhook-timestamp': 'x' }, body, key)", 'false'],
    [
      "isSigned({ ...headers, 'webhook-signature': 'v1,' + headers['webhook-signature'].slice(4) }, body, key)",
      'false',
    ],
    ["isSigned({ ...headers, 'webhook-signature': 'v1,xxxx ' + headers['webhook-signature'] }, body, key)", 'true'],
    ["isSigned(headers, body, key.replace('R', 'S'))", 'false'],
  ])("is judged by the code with Node's own cryptography: %s is %s", (expression, expected) => {
    expect(run(block('js standard'), expression)).toEqual({ status: 0, out: expected, err: '' });
  });

  it('tells the bounds as they are', () => {
    expect(read(PAGE)).toContain(`bodies of up to ${EVENT_BOUNDS.size.toLocaleString('en')} bytes`);
    expect(read('examples/receiver/README.md')).toContain(
      `a body over ${EVENT_BOUNDS.size.toLocaleString('en')} bytes`,
    );
    // Two versions of a record, and what is around them.
    expect(EVENT_BOUNDS.size).toBeGreaterThan(2 * recordLimits.bytes + bodyLimits.bytes / 2);
    // A flat proof is a body of its own; in an event it lies five levels deeper.
    expect(EVENT_BOUNDS.depth).toBeGreaterThanOrEqual(jsonLimits.depth + 5);
  });
});

describe('the commands of docs/interface/receiving-events.md', () => {
  const server = withServer();
  const version = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '';
  const has = (program: string) => spawnSync(program, ['--version']).status === 0;
  const canRun = /^OpenSSL [3-9]/.test(version) && has('jq') && has('curl') && has('base64');
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-by-hand-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function shell(script: string, sent = body): Promise<{ status: number | null; out: string }> {
    await writeFile(join(folder, 'body.json'), sent);
    const child = spawn('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [status] = await once(child, 'close');
    return { status, out: Buffer.concat(chunks).toString().trim() };
  }

  it.runIf(canRun)('verify the headers with OpenSSL, and nothing else than what was sent', async () => {
    const verified = { status: 0, out: 'Signature Verified Successfully' };
    const refused = { status: 1, out: 'Signature Verification Failure' };
    expect(await shell(block('sh headers'))).toEqual(verified);
    expect(await shell(block('sh headers'), `${body}\n`)).toEqual(refused);
    expect(await shell(block('sh headers').replace('1795350369', '1795350370'))).toEqual(refused);
  });

  it.runIf(canRun)('verify the proof in the body', async () => {
    const script = `${block('sh headers')}${block('sh proof')}printf %s "$hash"`;
    const verified = 'Signature Verified Successfully';
    expect(await shell(script)).toEqual({ status: 0, out: `${verified}\n${verified}\n${JSON.parse(body).hash}` });
    const altered = await shell(script, body.replace('silver', 'golden'));
    expect(altered.out.split('\n').slice(0, 2)).toEqual(Array(2).fill('Signature Verification Failure'));
    expect(altered.out).not.toContain(JSON.parse(body).hash);
  });

  it.runIf(canRun)('ask a ledger for its key', async () => {
    const client = await newLedger(server.current.url);
    const url = server.current.url;
    const script = block('sh key')
      .replace('https://ledger.example/v2', url)
      .replace('acme', client.ledger ?? '');
    expect(await shell(script)).toEqual({ status: 0, out: systemKeyOf(client) });
  });
});
