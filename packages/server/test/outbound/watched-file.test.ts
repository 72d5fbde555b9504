import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchFile } from '../../src/outbound/watched-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-watched-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Looks each time that it is asked. */
const opened = () => watchFile(path, (text) => text, 0);

describe('a file', () => {
  it('is read anew when it has changed, and is empty while it is missing', async () => {
    const read = opened();
    expect(await read()).toBe('');
    writeFileSync(path, 'one');
    expect(await read()).toBe('one');
    writeFileSync(path, 'others');
    expect(await read()).toBe('others');
    rmSync(path);
    expect(await read()).toBe('');
  });

  it('that cannot be read for a while says what it said before', async () => {
    const read = opened();
    writeFileSync(path, 'one');
    expect(await read()).toBe('one');
    rmSync(path);
    mkdirSync(path);
    expect(await read()).toBe('one');
    expect(await read()).toBe('one');
    rmdirSync(path);
    writeFileSync(path, 'others');
    expect(await read()).toBe('others');
  });
});
