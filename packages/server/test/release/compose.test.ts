import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { read, root, rowsOf } from '../support/documents.js';

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
    const roles = [databaseUrl, secret('owner_url')].map((url) => {
      const { username, password, hostname, pathname } = new URL(url);
      expect([hostname, pathname]).toEqual(['database', '/countersign']);
      expect(password.length).toBeGreaterThan(30);
      return [username, password];
    });
    expect(roles).toEqual([
      ['countersign_serving', secret('serving_password')],
      ['countersign', secret('postgres_password')],
    ]);
    expect(secret('serving_password')).not.toBe(secret('postgres_password'));
    const before = [masterKey, secret('postgres_password')];
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
    expect(names.sort()).toEqual(['database_url', 'master_key', 'owner_url', 'postgres_password', 'serving_password']);
    expect(text).not.toMatch(
      /(PASSWORD|MASTER_KEY|DATABASE_URL|TRUST|AUTH_METHOD)(?!_FILE: \/run\/secrets\/\w+$)\w*:/m,
    );
    expect(read('.gitignore').split('\n')).toContain('/secrets/');
  });
});

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  const services = Object.fromEntries(
    (/^services:\n(.*?)^\w/ms.exec(text)?.[1] ?? '')
      .split(/^ {2}(?=\w+:\n)/m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf(':')), part.split('\n').map((line) => line.trim())]),
  );

  it('has a server, its database and what migrates it, and others for those who ask for them', () => {
    const profiles = Object.entries(services).map(([name, lines]) => [
      name,
      lines.find((line) => line.startsWith('profiles: '))?.slice(10),
    ]);
    expect(profiles).toEqual([
      ['server', undefined],
      ['migrate', undefined],
      ['database', undefined],
      ['pgbouncer', '[pgbouncer]'],
      ['prometheus', '[monitoring]'],
      ['grafana', '[monitoring]'],
    ]);
  });

  it.each(['server', 'migrate', 'database', 'pgbouncer', 'prometheus', 'grafana'])(
    'bounds %s, and gives it no right beyond its own',
    (name) => {
      const lines = services[name] ?? [];
      for (const line of [
        'read_only: true',
        'cap_drop: [ALL]',
        'security_opt: ["no-new-privileges:true"]',
        'logging: *logging',
      ]) {
        expect(lines).toContain(line);
      }
      const bounds = lines.filter((line) => /^(mem_limit|pids_limit): \$\{[A-Z_]+:-\d+[mg]?\}$/.test(line));
      expect(bounds).toHaveLength(2);
      const places = lines.find((line) => line.startsWith('tmpfs: '))?.match(/"[^"]+"/g) ?? [];
      expect(places.length).toBeGreaterThan(0);
      for (const place of places) expect(place).toMatch(/:size=\d+m,mode=1777"$/);
    },
  );

  it('runs no process as root, and lets the database be reached by the server alone', () => {
    expect(services.database).toContain('user: postgres');
    expect(read('deploy/compose/pgbouncer/Containerfile')).toMatch(/^USER 65534:65534$/m);
    expect(services.pgbouncer).toContain('networks: [database]');
    expect(read('Containerfile')).toMatch(/^USER 10001:10001$/m);
    expect(services.database).toContain('networks: [database]');
    expect(services.migrate).toContain('networks: [database]');
    expect(services.database?.some((line) => line.startsWith('ports:'))).toBe(false);
    expect(text).toContain('  database:\n    internal: true\n');
  });

  it('gives the server a role that owns nothing, which what migrates has made', () => {
    const role = 'countersign_serving';
    expect(services.server).toContain('secrets: [database_url, master_key]');
    expect(services.server).toContain('condition: service_completed_successfully');
    expect(services.migrate).toEqual(
      expect.arrayContaining([
        'command: [countersign-server, --migrate]',
        'secrets: [owner_url, master_key]',
        'DATABASE_URL_FILE: /run/secrets/owner_url',
        `DATABASE_ROLE: ${role}`,
      ]),
    );
    expect(services.database).toContain(
      '- ./deploy/compose/serving-role.sh:/docker-entrypoint-initdb.d/serving-role.sh:ro',
    );
    expect(read('deploy/compose/serving-role.sh')).toContain(`create role ${role} login`);
    expect(read('deploy/compose/pgbouncer/start.sh')).toContain(`"${role}"`);
  });

  it('gives monitoring the rules and the dashboard, nothing to write to, and a way out to this machine alone', () => {
    for (const [name, from, to] of [
      ['prometheus', './deploy/monitoring/alerts.yaml', '/etc/prometheus/alerts.yaml'],
      ['prometheus', './deploy/compose/prometheus.yml', '/etc/prometheus/prometheus.yml'],
      ['grafana', './deploy/monitoring/dashboard.json', '/etc/grafana/dashboards/countersign.json'],
      ['grafana', './deploy/compose/grafana/datasources', '/etc/grafana/provisioning/datasources'],
      ['grafana', './deploy/compose/grafana/dashboards', '/etc/grafana/provisioning/dashboards'],
    ] as const) {
      expect(services[name]).toContain(`- ${from}:${to}:ro`);
      expect(existsSync(join(root, from)), from).toBe(true);
    }
    const published = text.match(/^ {6}- .*:\d+$/gm) ?? [];
    expect(published).toHaveLength(2);
    for (const port of published) expect(port).toMatch(/^ {6}- 127\.0\.0\.1:/);
    expect(services.prometheus).toContain('networks: [monitoring]');
    expect(text).toContain('  monitoring:\n    internal: true\n');
    expect(read('deploy/compose/prometheus.yml')).toContain('rule_files: [/etc/prometheus/alerts.yaml]');
    expect(read('deploy/compose/prometheus.yml')).toContain('job_name: countersign');
  });

  it('has each of its settings in docs/containers.md, with the default', () => {
    const found = [...text.matchAll(/\$\{([A-Z_]+)(?::-([^}]*)|:\?[^}]*)\}/g)];
    const used = [...new Map(found.map(([, name, value]) => [name, value ?? '']))];
    const told = rowsOf(read('docs/containers.md')).filter(([name = '']) => /^[A-Z_]{4,}$/.test(name));
    expect(told.map(([name, value]) => [name, value]).sort()).toEqual(used.sort());
  });
});
