import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { Cli, type Outcome } from '../../../cli/test/support/cli.js';

/** The command of the last release, called as scripts do. */
export class EarlierCli extends Cli {
  readonly #main: string;

  /** @param release the folder that it was compiled in */
  constructor(release: string, home: string, env: Readonly<Record<string, string>>) {
    super(home, env);
    this.#main = join(release, 'packages/cli/dist/main.js');
  }

  override async call(args: readonly string[]): Promise<Outcome> {
    const child = spawn(process.execPath, [this.#main, ...args], { env: this.environment(), cwd: this.home });
    child.stdin.end();
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return {
      ...{ code, out, err },
      get json() {
        return JSON.parse(out);
      },
    };
  }
}

/** What somebody does with a new ledger. @param name of the ledger */
export async function useCommand(cli: Cli, server: string, name: string): Promise<void> {
  await cli.done(['init', name, '--signer', 'owner', '--server', server]);
  expect((await cli.done(['status'])).out).toMatch(/^Status: +UP$/m);
  await cli.done(['symbol', 'create', 'usd', '--factor', '100']);
  for (const handle of ['till', 'shop']) await cli.done(['wallet', 'create', handle]);
  await cli.done(['wallet', 'sign', 'shop', '--status', 'active']);
  expect((await cli.done(['wallet', 'show', 'shop', '--json'])).json.meta.status).toBe('active');
  expect((await cli.done(['wallet', 'list', '--json'])).json).toHaveLength(2);
  for (const claim of ['issue 100 usd to till', 'transfer 12.50 usd from till to shop'])
    await cli.done(['intent', 'create', `intent-${claim.split(' ')[0]}`, '--claim', claim, '--wait']);
  expect((await cli.done(['wallet', 'balances', 'till'])).out).toContain('87.50');
  expect((await cli.done(['access', 'explain', 'wallet/shop', 'update'])).out).toMatch(/^Granted: /);
  const missing = await cli.call(['wallet', 'show', 'none']);
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('Reason: record.not-found')]);
  await cli.done(['verify']);
}
