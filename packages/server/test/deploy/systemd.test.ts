import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findMisspelled } from '../../src/cluster/misspelled.js';
import { parseConfig } from '../../src/config.js';
import { read } from '../support/documents.js';
import { requireTool, runTool } from './tools.js';

const unit = read('deploy/systemd/countersign.service');
const lines = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const home = mkdtempSync(join(tmpdir(), 'countersign-systemd-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A file of variables, as systemd reads it. */
function variablesOf(text: string): Record<string, string> {
  const assigned = [...text.matchAll(/^(\w+)=(?:'([^']*)'|(.*))$/gm)];
  return Object.fromEntries(assigned.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']));
}

describe('the unit of systemd', () => {
  const secrets = Object.fromEntries(lines('LoadCredential').map((one) => one.split(':') as [string, string]));
  const own = Object.fromEntries(lines('Environment').map((one) => one.split('=') as [string, string]));
  const file = variablesOf(read('deploy/systemd/countersign.env'));

  it('sets the server by what its settings are called, and gives it secrets as files', () => {
    expect(lines('EnvironmentFile')).toEqual(['/etc/countersign/countersign.env']);
    expect(Object.keys(secrets).sort()).toEqual(['database_url', 'master_key']);
    // No secret is optional, and none is in a variable.
    for (const path of Object.values(secrets)) expect(path).toMatch(/^\/etc\/countersign\/\w+$/);
    const files = Object.entries(own).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path.replace('%d/', '')).sort()).toEqual(Object.keys(secrets).sort());
    const texts = { MASTER_KEY_FILE: Buffer.alloc(32).toString('base64'), DATABASE_URL_FILE: 'postgresql://a:b@c/d' };
    const env: Record<string, string> = { ...file, ...own };
    for (const [name, text] of Object.entries(texts)) {
      env[name] = join(home, name);
      writeFileSync(env[name]!, `${text}\n`);
    }
    expect(findMisspelled(env)).toEqual([]);
    expect(parseConfig(env)).toMatchObject({
      publicUrl: 'https://ledger.example/v2',
      databaseUrl: texts.DATABASE_URL_FILE,
      masterKey: texts.MASTER_KEY_FILE,
      ledgerQuota: { bytes: 10 * 2 ** 30 },
    });
  });

  it('keeps its data where it may write, and runs as the user that is made for it', () => {
    expect(own.DATA_DIR).toBe('%S/countersign');
    expect([lines('StateDirectory'), lines('User')]).toEqual([['countersign'], ['countersign']]);
    expect(read('deploy/systemd/countersign.sysusers')).toMatch(/^u countersign - "[^"]+" \/var\/lib\/countersign /m);
  });

  it('leaves the server the time that it takes to stop', () => {
    expect(Number(lines('TimeoutStopSec')[0])).toBeGreaterThan(30);
    expect([lines('KillMode'), lines('ExecReload')]).toEqual([['mixed'], [`/bin/sh -c 'kill -HUP "$MAINPID"'`]]);
  });

  const analyze = requireTool('systemd-analyze', 'REQUIRE_SYSTEMD');
  describe.runIf(analyze)('by systemd-analyze', () => {
    const path = join(home, 'countersign.service');
    // Of a program that is on this machine.
    writeFileSync(path, unit.replaceAll('/usr/bin/node', process.execPath));

    it('has nothing that systemd does not know', () => {
      const { status, err } = runTool(analyze ?? '', ['verify', path]);
      expect([status, err.split('\n').filter((line) => line.includes('countersign.service'))]).toEqual([0, []]);
    });

    it('leaves the service little that it could harm', () => {
      // An exposure of 1.4 of 10, where 9.6 is that of a service without any bounds.
      const { status, out } = runTool(analyze ?? '', [
        'security',
        '--offline=true',
        '--threshold=15',
        '--no-pager',
        path,
      ]);
      expect(status, out).toBe(0);
    });
  });
});
