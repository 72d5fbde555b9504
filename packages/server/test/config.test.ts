import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { formatVkey, noteKey } from '@countersign/protocol/log';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SERVER_RULES } from '../src/access/rules.js';
import { parseConfig, renderSettings, settings, WrongSettings } from '../src/config.js';

const key = Buffer.alloc(32, 7).toString('base64');
const other = Buffer.alloc(32, 8).toString('base64');

describe('the settings', () => {
  it('have defaults, and an empty variable counts as absent', () => {
    const defaults = {
      port: 3000,
      host: '127.0.0.1',
      metricsPort: 9464,
      metricsHost: '127.0.0.1',
      metricsLedgers: [],
      adminHost: '127.0.0.1',
      operatorKeys: [],
      trustedProxies: [],
      publicUrl: 'http://127.0.0.1:3000/v2',
      publicAliases: ['http://localhost:3000/v2', 'http://[::1]:3000/v2'],
      dataDir: resolve('data'),
      databaseUrl: undefined,
      databaseWait: 30,
      masterKey: undefined,
      workers: Math.min(availableParallelism(), 8),
      requestTimeout: 15_000,
      tokenMaxLife: 86_400,
      recordProofs: 100,
      deliveryConcurrency: 1024,
      deliveryRetryHours: 72,
      deliveryTimeout: 15_000,
      backgroundLease: 30_000,
      deliveryAllowPrivate: false,
      reportAssetsDir: undefined,
      reportAssetsBucket: undefined,
      consoleServers: [],
      witnesses: undefined,
      witnessInterval: 10,
      ledgerQuota: { percent: 25 },
      addressRequests: 10_000,
      addressLedgers: 3_600,
      addressConnections: 1_024,
      ledgerWrites: 5_000,
      logLevel: 'info',
      accessLog: 0.01,
      traceShare: 0.01,
      journalDays: 90,
      name: 'countersign',
      defaultLedger: undefined,
      serverRules: DEFAULT_SERVER_RULES,
    };
    expect(parseConfig({})).toEqual(defaults);
    expect(parseConfig(Object.fromEntries(Object.values(settings).map(({ name }) => [name, ''])))).toEqual(defaults);
  });

  it('are read from the environment', () => {
    const env = {
      PORT: '65535',
      HOST: '::1',
      METRICS_PORT: 'off',
      METRICS_HOST: '0.0.0.0',
      METRICS_LEDGERS: 'a, b@c',
      ADMIN_PORT: '9465',
      ADMIN_HOST: '0.0.0.0',
      ADMIN_URL: 'https://admin.ledger.example/',
      OPERATOR_KEYS: `alice=${key}, bob=${other}`,
      TRUSTED_PROXIES: '192.0.2.7, 10.0.0.0/8,2001:db8::/32',
      PUBLIC_URL: 'https://ledger.example/v2/',
      DATA_DIR: '/srv/data',
      DATABASE_URL: 'postgresql://user:secret@db/ledger',
      MASTER_KEY: key,
      WORKERS: '64',
      REQUEST_TIMEOUT: '600000',
      TOKEN_MAX_LIFE: '3600',
      RECORD_PROOFS: '500',
      DELIVERY_CONCURRENCY: '64',
      DELIVERY_RETRY_HOURS: '0',
      DELIVERY_TIMEOUT: '5000',
      BACKGROUND_LEASE: '1000',
      DELIVERY_ALLOW_PRIVATE: 'true',
      REPORT_ASSETS_DIR: '/srv/reports',
      REPORT_ASSETS_BUCKET: 'acme-reports',
      CONSOLE: 'https://a.example, http://localhost:4000/',
      WITNESS_INTERVAL: '60',
      LEDGER_QUOTA: '10GiB',
      ADDRESS_REQUESTS: 'off',
      ADDRESS_LEDGERS: '60',
      ADDRESS_CONNECTIONS: '20',
      LEDGER_WRITES: '1000000',
      LOG_LEVEL: 'debug',
      ACCESS_LOG: 'all',
      JOURNAL_DAYS: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
      TRACE_SHARE: '10%',
      NAME: 'acme',
      DEFAULT_LEDGER: 'main',
      SERVER_ACCESS_RULES: '[{"action":"read","record":"any"}]',
    };
    expect(parseConfig(env)).toEqual({
      port: 65535,
      host: '::1',
      metricsPort: undefined,
      metricsHost: '0.0.0.0',
      metricsLedgers: ['a', 'b@c'],
      adminPort: 9465,
      adminHost: '0.0.0.0',
      adminUrl: 'https://admin.ledger.example',
      operatorKeys: [
        { name: 'alice', public: key },
        { name: 'bob', public: other },
      ],
      trustedProxies: ['192.0.2.7', '10.0.0.0/8', '2001:db8::/32'],
      publicUrl: 'https://ledger.example/v2',
      publicAliases: [],
      dataDir: resolve('/srv/data'),
      databaseUrl: env.DATABASE_URL,
      databaseWait: 30,
      masterKey: key,
      workers: 64,
      requestTimeout: 600_000,
      tokenMaxLife: 3_600,
      recordProofs: 500,
      deliveryConcurrency: 64,
      deliveryRetryHours: 0,
      deliveryTimeout: 5_000,
      backgroundLease: 1_000,
      deliveryAllowPrivate: true,
      reportAssetsDir: resolve('/srv/reports'),
      reportAssetsBucket: 'acme-reports',
      consoleServers: ['https://a.example', 'http://localhost:4000'],
      witnesses: undefined,
      witnessInterval: 60,
      ledgerQuota: { bytes: 10 * 1024 ** 3 },
      addressRequests: undefined,
      addressLedgers: 60,
      addressConnections: 20,
      ledgerWrites: 1_000_000,
      logLevel: 'debug',
      accessLog: 1,
      journalDays: 'off',
      traceEndpoint: 'http://127.0.0.1:4318',
      traceShare: 0.1,
      name: 'acme',
      defaultLedger: 'main',
      serverRules: [{ action: 'read', record: 'any' }],
    });
  });

  it.each([
    ['off', undefined],
    ['1048576', { bytes: 1_048_576 }],
    ['3TiB', { bytes: 3 * 1024 ** 4 }],
    ['100%', { percent: 100 }],
  ])('read a quota of %s', (LEDGER_QUOTA, ledgerQuota) => {
    expect(parseConfig({ LEDGER_QUOTA }).ledgerQuota).toEqual(ledgerQuota);
  });

  it('know no part of the disk of a database of the operator', () => {
    const others = { DATABASE_URL: 'postgresql://u:hidden@db/x' };
    expect(parseConfig(others).ledgerQuota).toBeUndefined();
    expect(parseConfig({ ...others, LEDGER_QUOTA: '1GiB' }).ledgerQuota).toEqual({ bytes: 1024 ** 3 });
    expect(parseConfig({ ...others, LEDGER_QUOTA: 'off' }).ledgerQuota).toBeUndefined();
    expect(() => parseConfig({ ...others, LEDGER_QUOTA: '10%' })).toThrow(
      /^LEDGER_QUOTA must be bytes such as 10GiB, or off, with DATABASE_URL: the disk of that database is not known$/,
    );
  });

  it.each([
    ['::1', 'http://[::1]:3000/v2'],
    ['0.0.0.0', 'http://localhost:3000/v2'],
    ['::', 'http://localhost:3000/v2'],
    ['ledger.internal', 'http://ledger.internal:3000/v2'],
  ])('make a public address of the host %s', (HOST, publicUrl) => {
    expect(parseConfig({ HOST }).publicUrl).toBe(publicUrl);
  });

  const WRONG: readonly (readonly [name: string, values: readonly string[]])[] = [
    ['REPORT_ASSETS_DIR', ['a\0b']],
    ['DATA_DIR', ['a\0b']],
    ['BACKUP_DIR', ['a\0b']],
    ['DATABASE_WAIT', ['-1', '86401', '30s']],
    ['ADDRESS_REQUESTS', ['0', 'none', '1.5']],
    ['ADDRESS_LEDGERS', ['0', 'none']],
    ['ADDRESS_CONNECTIONS', ['0', 'none']],
    ['LEDGER_WRITES', ['0', 'none']],
    ['MASTER_KEY_NEXT', ['hidden', Buffer.alloc(31).toString('base64')]],
    ['DELIVERY_TIMEOUT', ['99', '15s']],
    ['DELIVERY_CONCURRENCY', ['3', '10001', 'many']],
    ['DELIVERY_RETRY_HOURS', ['-1', '721', '3d']],
    [
      'CONSOLE',
      ['yes', 'ledger.example', 'https://a.example/v2', 'https://u@a.example', 'https://*.example', 'on,off'],
    ],
    ['REPORT_ASSETS_BUCKET', ['a', 'Acme', 'gs://acme', 'a/b', 'x'.repeat(223)]],
    ['PORT', ['0', '65536', 'abc', '-1', '3000.5', '1e3', ' 80']],
    ['METRICS_PORT', ['0', '65536', 'none']],
    ['HOST', ['a b', 'http://x', '1.2.3.4/8']],
    ['METRICS_HOST', ['a b']],
    ['ADMIN_PORT', ['0', '65536', 'on']],
    ['ADMIN_HOST', ['a b']],
    ['ADMIN_URL', ['admin.ledger.example', 'https://u@a', 'https://a/?b']],
    [
      'OPERATOR_KEYS',
      [
        'alice',
        key,
        `alice=${key},alice=${other}`,
        `alice=${key},bob=${key}`,
        `a b=${key}`,
        `alice=${key.slice(4)}`,
        `a=${key},`,
      ],
    ],
    [
      'TRUSTED_PROXIES',
      ['true', '*', '10.0.0.0/33', '10.0.0.0/0', '2001:db8::/129', '10.0.0.1,', 'proxy', '1', 'fe80::1%a'],
    ],
    ['PUBLIC_URL', ['ledger.example/v2', 'ftp://x/v2', 'http://u:p@x/v2', 'http://x/v2?a', 'http://x/v2#a', 'http://']],
    ['DATABASE_URL', ['mysql://u:hidden@x/db', 'hidden', 'postgresql://u:hidden@:x/']],
    ['MASTER_KEY', ['hidden', Buffer.alloc(31).toString('base64')]],
    ['WORKERS', ['0', '65', '1.5', 'many']],
    ['REQUEST_TIMEOUT', ['99', '600001', '-1', '15s']],
    ['TOKEN_MAX_LIFE', ['59', '31536001', '1d']],
    ['RECORD_PROOFS', ['9', '501', 'many']],
    ['BACKGROUND_LEASE', ['999', '600001', '30s']],
    ['DELIVERY_ALLOW_PRIVATE', ['yes', 'TRUE', '1']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    ['METRICS_LEDGERS', ['a b', 'a,', 'a,,b', Array.from({ length: 21 }, (_, n) => `l${n}`).join()]],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['here', 'ftp://a']],
    ['TRACE_SHARE', ['on', '101%']],
    ['JOURNAL_DAYS', ['0', '3651', '1.5', 'on', '-1']],
    ['ACCESS_LOG', ['on', '1', '101%', '-1%', '1.%', '1 %']],
    ['WITNESS_INTERVAL', ['0', '3601', '1.5', '10s']],
    ['LEDGER_QUOTA', ['0', '0%', '101%', '10GB', 'none', '1.5GiB']],
    ['NAME', ['a b', 'a/b', 'a'.repeat(256)]],
    ['DEFAULT_LEDGER', ['a b', '@']],
    ['SERVER_ACCESS_RULES', ['open', '{}', '[1]', '[{"policy":"p"}]']],
  ];

  it('each have something that is wrong', () => {
    // Of witnesses and roles a file and the database tell: in tests of their own.
    const told = new Set([...WRONG.map(([name]) => name), 'WITNESSES', 'DATABASE_ROLE']);
    expect(Object.values(settings).flatMap(({ name }) => (told.has(name) ? [] : [name]))).toEqual([]);
  });

  it.each(WRONG)('refuse a wrong %s, in one line', (name, values) => {
    for (const value of values) {
      expect(() => parseConfig({ [name]: value }), value).toThrow(new RegExp(`^${name} must be .*$`));
      expect(() => parseConfig({ [name]: value }), value).toThrow(WrongSettings);
      expect(() => parseConfig({ [name]: value }), value).not.toThrow('hidden');
    }
  });

  it('take the witnesses from a policy whose witnesses have addresses', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
    const path = join(folder, 'policy');
    const vkey = formatVkey(noteKey('w.test/1', 'cosignature', Buffer.alloc(32, 1)));
    const read = (text: string) => {
      writeFileSync(path, text);
      return parseConfig({ WITNESSES: path }).witnesses;
    };
    expect(read(`witness w1 ${vkey} https://w.test/x\nquorum w1\n`)?.quorum).toBe('w1');
    expect(read(`witness w1 ${vkey} http://127.0.0.1:4060\nquorum none\n`)?.quorum).toBeUndefined();
    for (const [text, why] of [
      [`witness w1 ${vkey}\nquorum none\n`, 'whose witness w1 has no http or https address'],
      [`witness w1 ${vkey} ftp://w.test\nquorum none\n`, 'whose witness w1 has no http or https address'],
      ['quorum none\n', 'which has no witness'],
      [`witness w1 ${vkey} https://w.test/x\n`, 'which cannot be read: malformed: a policy has no quorum'],
    ] as const) {
      expect(() => read(text)).toThrow(`WITNESSES names ${path}, ${why}`);
    }
    rmSync(folder, { recursive: true });
    expect(() => parseConfig({ WITNESSES: path })).toThrow(/^WITNESSES names .*, which cannot be read: ENOENT/);
  });

  it('take a secret from a file, whose blanks and line ends around it do not count', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
    const path = join(folder, 'secret');
    const written = (text: string) => {
      writeFileSync(path, text);
      return path;
    };
    expect(parseConfig({ MASTER_KEY_FILE: written(` ${key}\r\n`), MASTER_KEY: '' }).masterKey).toBe(key);
    const url = 'postgresql://user:secret@db/ledger';
    expect(parseConfig({ DATABASE_URL_FILE: written(`${url}\n`) }).databaseUrl).toBe(url);
    for (const [env, why] of [
      [
        { MASTER_KEY_FILE: written(key), MASTER_KEY: key },
        'MASTER_KEY_FILE is set, and so is MASTER_KEY: set one of them',
      ],
      [{ MASTER_KEY_FILE: join(folder, 'none') }, `MASTER_KEY_FILE names ${folder}/none, which cannot be read: ENOENT`],
      [{ DATABASE_URL_FILE: 'a\0b' }, 'DATABASE_URL_FILE must be a path'],
    ] as const) {
      expect(() => parseConfig(env)).toThrow(why);
    }
    expect(() => parseConfig({ MASTER_KEY_FILE: written(' \n') })).toThrow(
      `MASTER_KEY_FILE names ${path}, which is empty`,
    );
    const wrong = { DATABASE_URL_FILE: written('mysql://u:hidden@x/db') };
    expect(() => parseConfig(wrong)).toThrow(/^DATABASE_URL_FILE must be a connection string/);
    expect(() => parseConfig(wrong)).not.toThrow('hidden');
    expect(parseConfig({ PORT_FILE: path }).port).toBe(3000);
    rmSync(folder, { recursive: true });
  });

  it('are reported all at once when several are wrong', () => {
    expect(() => parseConfig({ PORT: 'abc', LOG_LEVEL: 'loud', NAME: 'fine' })).toThrow(
      'PORT must be a number from 1 to 65535, not "abc"\nLOG_LEVEL must be one of fatal, error,',
    );
  });

  it.each<[env: Record<string, string>, isRefused: boolean]>([
    [{ METRICS_PORT: '3000' }, true],
    [{ PORT: '9464' }, true],
    [{ PORT: '9464', HOST: '0.0.0.0' }, true],
    [{ PORT: '9464', METRICS_HOST: '::' }, true],
    [{ PORT: '9464', HOST: 'localhost' }, true],
    [{ PORT: '9464', HOST: '192.0.2.7' }, false],
    [{ PORT: '9464', HOST: 'localhost', METRICS_HOST: '192.0.2.7' }, false],
    [{ PORT: '9464', HOST: '0.0.0.0', METRICS_HOST: '::1' }, false],
    [{ PORT: '9464', METRICS_PORT: 'off' }, false],
  ])('refuse one port for clients and metrics on the same address (%o)', (env, isRefused) => {
    if (!isRefused) return expect(() => parseConfig(env)).not.toThrow();
    const port = env.PORT ?? env.METRICS_PORT;
    expect(() => parseConfig(env)).toThrow(`METRICS_PORT ${port} is PORT as well: set METRICS_PORT to another`);
  });

  it.each([
    [{ ADMIN_PORT: '3000' }, 'ADMIN_PORT 3000 is PORT as well: set ADMIN_PORT to another'],
    [{ ADMIN_PORT: '9464', ADMIN_HOST: '::' }, 'ADMIN_PORT 9464 is METRICS_PORT as well: set ADMIN_PORT to another'],
    [{ ADMIN_PORT: '9465', OPERATOR_KEYS: '' }, 'ADMIN_PORT needs OPERATOR_KEYS'],
    [{ ADMIN_PORT: '9465', LOG_LEVEL: 'error' }, 'ADMIN_PORT needs a LOG_LEVEL of warn or more'],
  ])('refuse a listener of operators that nobody could use (%o)', (env, why) => {
    expect(() => parseConfig({ OPERATOR_KEYS: `alice=${key}`, ...env })).toThrow(why);
  });

  it.each(['/data', '/data/backups', '/data/..x'])('refuses a folder of backups in the data folder: %s', (folder) => {
    const env = { DATA_DIR: '/data', BACKUP_DIR: folder };
    expect(() => parseConfig(env)).toThrow(`BACKUP_DIR ${folder} is in the data folder: name one on another disk`);
    expect(parseConfig({ ...env, BACKUP_DIR: '/data-backups' }).backupDir).toBe('/data-backups');
  });

  it('are rendered as a table with a row for each', () => {
    const lines = renderSettings().trimEnd().split('\n');
    expect(lines).toHaveLength(Object.keys(settings).length + 2);
    expect(lines[2]).toBe('| `PORT` | `3000` | The TCP port to listen on. |');
    for (const line of lines) expect(line.match(/\|/g)).toHaveLength(4);
  });
});
