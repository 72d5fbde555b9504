import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNameServers } from '../../src/outbound/name-servers.js';
import { createHostNames, type HostNames } from '../../src/outbound/names.js';
import { nameLimits } from '../../src/outbound/outbound-limits.js';
import { eventually } from '../support/eventually.js';
import { NameServer } from './name-server.js';

let folder: string;
let server: NameServer;
let hostsFile: string;
let resolverFile: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-names-'));
  [hostsFile, resolverFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  server = await NameServer.start();
});
afterEach(() => {
  server.stop();
  rmSync(folder, { recursive: true });
});

const opened = (): HostNames => createHostNames({ servers: [server.address], hostsFile, resolverFile });

/** The addresses of a name, or the code of the error. */
async function found(names: HostNames, host: string): Promise<unknown> {
  return names.lookup(host).then(
    (addresses) => addresses.map(({ address }) => address),
    (error) => error.code,
  );
}

describe('a name', () => {
  it('has the addresses of both families, IPv4 first', async () => {
    server.names.set('both.example', ['2606:4700::1', '192.0.2.1', '192.0.2.2']);
    expect(await found(opened(), 'both.example')).toEqual(['192.0.2.1', '192.0.2.2', '2606:4700::1']);
  });

  it('is asked for in lower case, and without the dot behind it', async () => {
    server.names.set('dotted.example', ['192.0.2.1']);
    expect(await found(opened(), 'Dotted.EXAMPLE.')).toEqual(['192.0.2.1']);
  });

  it('that is missing, or has no address, is told apart from one that nobody knows', async () => {
    server.names.set('empty.example', []);
    server.failing.add('failing.example');
    const names = opened();
    expect(await found(names, 'missing.example')).toBe('ENOTFOUND');
    expect(await found(names, 'empty.example')).toBe('ENOTFOUND');
    expect(await found(names, `${'x'.repeat(64)}.example`)).toBe('ENOTFOUND');
    expect(await found(names, 'failing.example')).toBe('EAI_AGAIN');
  });

  it('that the hosts file has is asked for nowhere, whatever the case', async () => {
    writeFileSync(hostsFile, '# comment\n127.0.0.1\tlocalhost\n10.0.0.7  Database db # more\n::7 db\n\nbroken line\n');
    const names = opened();
    expect(await found(names, 'database')).toEqual(['10.0.0.7']);
    expect(await found(names, 'DB')).toEqual(['10.0.0.7', '::7']);
    expect(await found(names, 'localhost')).toEqual(['127.0.0.1']);
    expect(server.asked).toEqual([]);
  });

  it('localhost, and what is below it, is this machine without a file as well', async () => {
    const names = opened();
    expect(await found(names, 'localhost')).toEqual(['127.0.0.1', '::1']);
    expect(await found(names, 'a.localhost')).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });

  it('is looked for below the domains to search, in the order of resolv.conf', async () => {
    writeFileSync(resolverFile, 'nameserver 192.0.2.53\nsearch one.example two.example.\noptions timeout:1 ndots:2\n');
    server.names.set('db.two.example', ['192.0.2.1']);
    server.names.set('whole.example', ['192.0.2.2']);
    const names = opened();
    expect(await found(names, 'db')).toEqual(['192.0.2.1']);
    expect(server.questions()).toEqual(['db.one.example', 'db.two.example']);
    expect(await found(names, 'whole.example')).toEqual(['192.0.2.2']);
    expect(server.questions().slice(2)).toEqual([
      'whole.example.one.example',
      'whole.example.two.example',
      'whole.example',
    ]);
    expect(await found(names, 'other.whole.example.')).toBe('ENOTFOUND');
    expect(server.questions().slice(5)).toEqual(['other.whole.example']);
  });
});

describe('what was found', () => {
  it('is remembered, and so is what was not', async () => {
    server.names.set('known.example', ['192.0.2.1']);
    const names = opened();
    for (const host of ['known.example', 'missing.example', 'known.example', 'missing.example'])
      await found(names, host);
    expect(server.questions()).toEqual(['known.example', 'missing.example']);
  });

  it('is asked for once by all who wait for it', async () => {
    server.names.set('known.example', ['192.0.2.1']);
    const names = opened();
    const all = await Promise.all(Array.from({ length: 50 }, () => found(names, 'known.example')));
    expect(all).toEqual(Array(50).fill(['192.0.2.1']));
    expect(server.questions()).toEqual(['known.example']);
  });

  it('is looked for anew when the hosts file changes', async () => {
    const names = opened();
    expect(await found(names, 'db')).toBe('ENOTFOUND');
    writeFileSync(hostsFile, '10.0.0.7 db\n');
    await eventually(async () => expect(await found(names, 'db')).toEqual(['10.0.0.7']));
  });
});

describe('an answer', () => {
  const { addresses: most } = nameLimits;

  it(`gives ${most} addresses of a family at most, and is remembered however many it has`, async () => {
    const all = Array.from({ length: 600 }, (_, index) => `192.0.${index >> 8}.${index & 255}`);
    // Of one family: on a busy machine the other might come after its time.
    server.names.set('many.example', all);
    const names = opened();
    for (let round = 0; round < 2; round += 1) {
      expect(await found(names, 'many.example')).toEqual(all.slice(0, most));
    }
    // By UDP and by TCP.
    expect(server.asked.filter((one) => one === 'many.example/4')).toHaveLength(2);
  });

  it('that lacks a family is soon completed', async () => {
    server.names.set('half.example', ['192.0.2.1', '2606:4700::1']);
    server.silentFamilies.add('half.example/4');
    const names = opened();
    expect(await found(names, 'half.example')).toEqual(['2606:4700::1']);
    server.silentFamilies.clear();
    const began = performance.now();
    await eventually(async () => expect(await found(names, 'half.example')).toEqual(['192.0.2.1', '2606:4700::1']));
    // A whole one would be remembered for so long.
    expect(performance.now() - began).toBeLessThan(nameLimits.life.greatest / 2);
  });

  it('that comes after the time of a lookup leaves it open whether the name has addresses', async () => {
    server.delays.set('slow.example/4', 200);
    server.delays.set('slow.example/6', 500);
    const ask = createNameServers([server.address]);
    expect(await ask('slow.example', 400)).toMatchObject({ addresses: [], isUnsure: true });
  });
});

describe('a name server that does not answer', () => {
  it('is given up after two seconds, and one family that is missing sooner', async () => {
    server.silent.add('silent.example');
    server.silentFamilies.add('half.example/6');
    server.names.set('half.example', ['192.0.2.1']);
    const names = opened();
    const began = performance.now();
    expect(await found(names, 'half.example')).toEqual(['192.0.2.1']);
    expect(await found(names, 'silent.example')).toBe('EAI_AGAIN');
    // A name server of the system has 10 seconds and more.
    expect(performance.now() - began).toBeLessThan(3 * nameLimits.within);
  });

  it('keeps nobody else waiting: lookups of one ledger wait for one another only', async () => {
    const { ledger: each } = nameLimits.lookup;
    const names = opened();
    const hosts = Array.from({ length: 3 * each }, (_, index) => `silent-${index}.example`);
    for (const host of hosts) {
      server.silent.add(host);
      names.callers.add(1, host);
    }
    names.callers.add(2, 'good.example');
    server.names.set('good.example', ['192.0.2.1']);
    let ended = 0;
    const waiting = hosts.map((host) => found(names, host).finally(() => (ended += 1)));
    await eventually(() => expect(new Set(server.questions()).size).toBe(each));
    expect(await found(names, 'good.example')).toEqual(['192.0.2.1']);
    expect(ended).toBe(0);
    expect(await Promise.all(waiting)).toEqual(Array(3 * each).fill('EAI_AGAIN'));
  });

  it('holds up no other ledger that calls the same host as one that waits', async () => {
    const { ledger: each } = nameLimits.lookup;
    const names = opened();
    for (let index = 0; index < each; index += 1) {
      server.silent.add(`silent-${index}.example`);
      names.callers.add(1, `silent-${index}.example`);
      void found(names, `silent-${index}.example`);
    }
    server.names.set('shared.example', ['192.0.2.1']);
    names.callers.add(1, 'shared.example');
    names.callers.add(2, 'shared.example');
    let ended = 0;
    await eventually(() => expect(new Set(server.questions()).size).toBe(each));
    const slow = found(names, 'silent-0.example').finally(() => (ended += 1));
    expect(await found(names, 'shared.example')).toEqual(['192.0.2.1']);
    expect(ended).toBe(0);
    await slow;
  });
});
