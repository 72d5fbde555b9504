import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES, type Exchange, readExamples } from '../../src/http/openapi/examples.js';
import { Description } from '../http/description.js';
import { newKey } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';
import { play, playServer, playToken } from './play.js';
import { RecordedClient, Recorder } from './recorder.js';
import { shapeOf } from './shape.js';

/** `WRITE_EXAMPLES=1` keeps what was recorded, in place of comparing it. */
const isWriting = process.env.WRITE_EXAMPLES === '1';

/** What examples call the server: that of the test has another address every time. */
const PUBLIC_URL = 'https://ledger.example/v2';

let files: string;
let server: RunningServer;
let described: Description;
let recorded: Map<string, Exchange>;

beforeAll(async () => {
  files = await realpath(await mkdtemp(join(tmpdir(), 'countersign-examples-')));
  server = await startServer({ reportAssetsDir: files });
  described = await Description.of(server.url);
  Object.assign(server.server.service, { publicUrl: PUBLIC_URL });
  const recorder = new Recorder(described);
  await play(new RecordedClient(recorder, server.url, newKey()), files);
  await playToken(recorder, server.url);
  await playServer(recorder, server.url);
  recorded = recorder.kept;
  if (isWriting) await keep();
});

afterAll(async () => {
  await server?.stop();
  await rm(files, { recursive: true, force: true });
});

/** Writes a file for each tag. */
async function keep(): Promise<void> {
  for (const old of await readdir(EXAMPLES)) await rm(new URL(old, EXAMPLES));
  const byTag = new Map<string, Record<string, Exchange>>();
  for (const { operation } of described.operations()) {
    const exchange = recorded.get(operation.operationId);
    const tag = (operation.tags[0] ?? '').toLowerCase().replaceAll(' ', '-');
    if (exchange) byTag.set(tag, { ...byTag.get(tag), [operation.operationId]: exchange });
  }
  for (const [tag, exchanges] of byTag) {
    await writeFile(new URL(`${tag}.json`, EXAMPLES), `${JSON.stringify(exchanges, null, 2)}\n`);
  }
}

describe('the examples of the description', () => {
  it('are there for every operation, and for no other', () => {
    const ids = described.operations().map(({ operation }) => operation.operationId);
    expect([...recorded.keys()].sort()).toEqual([...ids].sort());
    expect(Object.keys(readExamples()).sort()).toEqual([...ids].sort());
  });

  it('have the shape of what the server takes and answers now', () => {
    const kept = readExamples();
    for (const [id, exchange] of recorded) expect(shapeOf(kept[id]), id).toEqual(shapeOf(exchange));
  });

  it('are as described', () => {
    const kept = readExamples();
    for (const { method, path, name, operation } of described.operations()) {
      const { request, status = 0, answer = null } = kept[operation.operationId] ?? {};
      if (operation.operationId === 'createToken') continue;
      if (request !== undefined) expect(described.requestErrors(method, path, request), name).toBeUndefined();
      if (typeof answer === 'string') continue;
      expect(described.answerErrors(method, path.replace(/\{\w+\}/g, '1'), status, answer), name).toBeUndefined();
    }
  });

  it('tell nothing of the machine that they come from', async () => {
    for (const name of await readdir(EXAMPLES)) {
      const text = await readFile(new URL(name, EXAMPLES), 'utf8');
      expect(text, name).not.toMatch(/127\.0\.0\.1|localhost|\/tmp\/|\/home\/|\/root|PRIVATE KEY|eyJ[A-Za-z0-9_-]{20}/);
    }
  });

  it('are served', async () => {
    const { document } = await Description.of(server.url);
    type Bodies = { content: Record<string, { example?: unknown }> };
    const { post } = document.paths['/wallets'] as unknown as {
      post: { requestBody: Bodies; responses: Record<string, Bodies> };
    };
    const { request, answer } = readExamples().createWallet as Exchange;
    expect(post.requestBody.content['application/json']?.example).toEqual(request);
    expect(post.responses[201]?.content['application/json']?.example).toEqual(answer);
  });
});
