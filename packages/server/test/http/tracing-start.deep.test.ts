import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A module hook: the packages of the SDK are not installed. */
const ABSENT = `export const resolve = (name, at, next) => {
  if (name.startsWith('@opentelemetry/sdk')) throw Error(name);
  return next(name, at);
}`;

it('a start is refused in one line when traces are asked for, and what sends them is not installed (operations/tracing)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tracing-'));
  try {
    const hook = join(folder, 'absent.mjs');
    const url = `data:text/javascript,${encodeURIComponent(ABSENT)}`;
    await writeFile(hook, `import { register } from 'node:module'; register(${JSON.stringify(url)});`);
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', DATA_DIR: join(folder, 'data') };
    const child = spawn(process.execPath, ['--import', hook, MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (text: Buffer) => {
      err += text;
    });
    const [code] = await once(child, 'close');
    const why =
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, and the packages that send traces cannot be loaded: npm install ' +
      '@opentelemetry/sdk-trace-base@2 @opentelemetry/resources@2 @opentelemetry/exporter-trace-otlp-http@0.223';
    expect({ code, err }).toEqual({ code: 2, err: `countersign: ${why}\n` });
    await expect(access(join(folder, 'data'))).rejects.toThrow('ENOENT');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
