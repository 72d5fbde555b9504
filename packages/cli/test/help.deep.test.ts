import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/commands/all.js';
import { completionFor } from '../src/description/completion.js';
import { allPages, indexPage } from '../src/description/page.js';
import { Cli, withFolder } from './support/cli.js';

const folder = withFolder();
let cli: Cli;

beforeAll(() => {
  cli = new Cli(folder.path);
});

describe('help', () => {
  it('is listed in docs/cli.md', () => {
    const { file, text } = indexPage(COMMANDS);
    expect(readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')).toBe(text);
    for (const { path, summary } of COMMANDS) expect(text).toContain(`| \`${path.join(' ')}\` | ${summary} |`);
  });

  it('is a page for each command, and one that leads to all of them', () => {
    const [list, ...pages] = allPages(COMMANDS);
    expect(pages.map(({ text }) => /^# countersign (.+)$/m.exec(text)?.[1])).toEqual(
      COMMANDS.map(({ path }) => path.join(' ')),
    );
    for (const { file, text } of pages) {
      expect(list?.text).toContain(`](${file})`);
      for (const [, anchor = ''] of text.matchAll(/\]\(\.\.\/cli\.md#([a-z-]+)\)/g)) {
        expect(list?.text).toMatch(new RegExp(`^## ${anchor.replaceAll('-', ' ')}$`, 'im'));
      }
    }
  });

  it('is shown for every command', async () => {
    for (const command of COMMANDS) {
      const { code, out } = await cli.call([...command.path, '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: countersign ${command.path.join(' ')}`);
    }
    expect((await cli.call([])).out).toContain('Usage: countersign');
  });

  it('completes in bash', () => {
    const complete = (...words: string[]) => {
      const script = `${completionFor('bash', COMMANDS)}
COMP_WORDS=(countersign "$@"); COMP_CWORD=$#; _countersign; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script, 'bash', ...words])
        .toString()
        .trim()
        .split('\n');
    };
    expect(complete('wa')).toEqual(['wallet', 'watch']);
    expect(complete('effect', 'events', '')).toEqual(['list', 'show', 'retry']);
    expect(complete('wallet', 'show', 'shop', '--an')).toEqual(['--anonymous']);
    expect(complete('wallet', '--json', 'cre')).toEqual(['create']);
    expect(complete('completion', 'f')).toEqual(['fish']);
  });

  it.skipIf(!existsSync('/usr/bin/fish'))('completes in fish', () => {
    const complete = (line: string) => {
      const file = join(folder.path, 'complete.fish');
      writeFileSync(file, `${completionFor('fish', COMMANDS)}\ncomplete -C '${line}'\n`);
      return execFileSync('/usr/bin/fish', ['--no-config', file]).toString().trim().split('\n').sort();
    };
    expect(complete('countersign wa')).toEqual(['wallet', 'watch']);
    expect(complete('countersign effect events ')).toEqual(['list', 'retry', 'show']);
    expect(complete('countersign wallet show shop --an')).toEqual(['--anonymous']);
    expect(complete('countersign wallet --json cre')).toEqual(['create']);
  });

  it.skipIf(!existsSync('/usr/bin/zsh'))('is read by zsh', () => {
    const script = `autoload -U compinit && compinit -u -D\n${completionFor('zsh', COMMANDS)}\nprint $_comps[countersign]`;
    expect(execFileSync('/usr/bin/zsh', ['-fc', script]).toString()).toContain('_bash_complete');
  });
});
