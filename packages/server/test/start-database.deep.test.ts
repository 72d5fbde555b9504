import { readFileSync } from 'node:fs';
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainError, unusable } from '../src/store/queries/reach.js';
import { layCable } from './store/cable.js';
import { freePort } from './support/free-port.js';
import { BUNDLED, expectLine, newDatabase, start, withStarts } from './support/starts.js';

const place = withStarts();

describe('a start on a database', () => {
  it('never makes a master key where that has one', async () => {
    const { url: DATABASE_URL } = await newDatabase();
    const again = async () => start({ DATABASE_URL, PORT: String(await freePort()) });
    expect((await again()).code).toBe(0);
    const file = join(place.dataDir, 'master.key');
    const key = readFileSync(file, 'utf8');
    await rm(file);
    for (let time = 0; time < 2; time += 1) {
      const why = `${file} is missing, and the database was made with one: put a copy of that file back, or set MASTER_KEY to what is in it`;
      expectLine(await again(), why);
      await expect(access(file)).rejects.toThrow('ENOENT');
    }
    await writeFile(file, key, { mode: 0o600 });
    expect((await again()).code).toBe(0);
  });

  it('waits for one that is out of reach', async () => {
    const { url } = await newDatabase();
    const cable = await layCable(url);
    await cable.cut();
    const settings = { DATABASE_URL: cable.url, DATABASE_WAIT: '60', PORT: String(await freePort()) };
    const started = start(settings, [BUNDLED], 'pipe', (err) => {
      if (err.includes('the start waits for it')) void cable.mend();
    });
    expect(await started).toMatchObject({ code: 0, out: expect.stringContaining('listening on') });
    await cable.close();
  });
});

describe('a database that cannot be used', () => {
  it('is a PostgreSQL below 15, or one that does not keep text as UTF-8', () => {
    expect(unusable({ version: '14.9', release: 140_009, encoding: 'UTF8' })).toBe(
      'is PostgreSQL 14.9, and 15 is the oldest that can be used: upgrade it, or use another',
    );
    expect(unusable({ version: '15.0', release: 150_000, encoding: 'UTF8' })).toBeUndefined();
    expect(unusable({ version: '18.1', release: 180_001, encoding: 'LATIN1' })).toContain('keeps text as LATIN1');
  });

  it('is told only of the database', () => {
    const other = new Error('The master key, MASTER_KEY or its file, is not the one that this database was made with.');
    expect(explainError(other, 'postgresql://localhost/a', false)).toBe(other);
    const file = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/data/master.key' });
    expect(explainError(file, 'postgresql://localhost/a', false)).toBe(file);
  });
});
