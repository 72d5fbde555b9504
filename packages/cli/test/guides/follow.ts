import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { read, root } from '../../../server/test/support/documents.js';
import { type Block, blocksOf, isShown, withoutChance } from './blocks.js';
import { Terminal } from './terminal.js';

/** Where a guide is followed. */
export interface Place {
  /** An empty folder for what the reader keeps at home. */
  readonly home: string;
  /** Where the commands are typed; a folder in which `npx countersign` works is made below `home` unless given. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The heading of the part that is followed; the whole page unless given. */
  readonly chapter?: string;
  /** What stands in for parts of the commands: ports that others may use on this machine. */
  readonly instead?: readonly (readonly [shown: string, used: string])[];
}

/** Does what a guide says, block by block, and compares what is printed with what it shows. */
export async function follow(path: string, place: Place): Promise<void> {
  const blocks = blocksOf(chapterOf(read(path), place.chapter));
  expect(blocks.length).toBeGreaterThan(0);
  const folder = place.folder ?? (await folderIn(place.home));
  // A refusal is a failure to curl as well.
  await writeFile(join(place.home, '.curlrc'), 'fail-with-body\n');
  const terminals = new Map<string, Terminal>();
  try {
    for (const block of blocks) {
      const terminal = terminals.get(block.terminal) ?? new Terminal(folder, environment(place));
      terminals.set(block.terminal, terminal);
      for (const { name, text } of block.files) await writeFile(join(folder, name), text);
      await runBlock(terminal, block, place);
    }
  } finally {
    for (const terminal of [...terminals.values()].reverse()) await terminal.close();
  }
}

async function runBlock(terminal: Terminal, block: Block, { instead = [] }: Place): Promise<void> {
  let { commands } = block;
  for (const [shown, used] of instead) commands = commands.replaceAll(shown, used);
  if (block.until !== undefined) return terminal.start(commands, block.until);
  const { output, failed } = await terminal.run(commands);
  expect(failed, `${commands}\n${output}`).toBe(block.fails);
  if (!block.answer) return;
  const { form, text } = block.answer;
  if (form === 'text') expect(withoutChance(output), commands).toBe(withoutChance(text));
  else if (!isShown(JSON.parse(text), JSON.parse(output))) {
    expect(JSON.stringify(JSON.parse(output), null, 2), commands).toBe(text);
  }
}

/** What stands below a heading, up to the next one of its level. */
export function chapterOf(markdown: string, heading?: string): string {
  if (heading === undefined) return markdown;
  const found = markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`No heading ${heading}`);
  return found;
}

/** A folder in which `npx countersign`, and programs that import packages, find them. */
async function folderIn(home: string): Promise<string> {
  const folder = join(home, 'work');
  await mkdir(folder);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

/** Nothing of this process's own settings. */
function environment({ home, env = {} }: Place): Record<string, string> {
  const { PATH = '' } = process.env;
  // Warnings about the settings of npm on this machine are no part of what a guide shows.
  return { PATH, HOME: home, npm_config_loglevel: 'error', npm_config_update_notifier: 'false', ...env };
}
