import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { read, root } from '../support/documents.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-compose-'));
  mkdirSync(join(home, 'scripts'));
  cpSync(join(root, 'scripts/compose-secrets.sh'), join(home, 'scripts/compose-secrets.sh'));
});
afterEach(() => rmSync(home, { recursive: true }));

const make = () => spawnSync('sh', [join(home, 'scripts/compose-secrets.sh')], { encoding: 'utf8' });
const secret = (name: string) => readFileSync(join(home, 'secrets', name), 'utf8');

describe.skipIf(process.platform === 'win32')('the secrets of compose.yaml', () => {
  it('are made once, and the server takes them', () => {
    expect(make().status).toBe(0);
    expect(statSync(join(home, 'secrets')).mode & 0o777).toBe(0o700);
    const { databaseUrl = '', masterKey } = parseConfig({
      DATABASE_URL_FILE: join(home, 'secrets/database_url'),
      MASTER_KEY_FILE: join(home, 'secrets/master_key'),
    });
    const { username, password, hostname, pathname } = new URL(databaseUrl);
    expect([username, password, hostname, pathname]).toEqual([
      'countersign',
      secret('postgres_password'),
      'database',
      '/countersign',
    ]);
    expect(password.length).toBeGreaterThan(30);
    const before = [masterKey, password];
    const again = make();
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('is there already: nothing is changed')]);
    expect([secret('master_key'), secret('postgres_password')]).toEqual(before);
    rmSync(join(home, 'secrets'), { recursive: true });
    expect(make().status).toBe(0);
    expect(secret('master_key')).not.toBe(before[0]);
    expect(secret('postgres_password')).not.toBe(before[1]);
  });

  it('are files alone: nothing in compose.yaml stands in for one', () => {
    const text = read('compose.yaml');
    const names = [...text.matchAll(/^ {4}file: \.\/secrets\/(\w+)$/gm)].map(([, name]) => name);
    expect(names.sort()).toEqual(['database_url', 'master_key', 'postgres_password']);
    expect(text).not.toMatch(
      /(PASSWORD|MASTER_KEY|DATABASE_URL|TRUST|AUTH_METHOD)(?!_FILE: \/run\/secrets\/\w+$)\w*:/m,
    );
    expect(read('.gitignore').split('\n')).toContain('/secrets/');
  });
});
