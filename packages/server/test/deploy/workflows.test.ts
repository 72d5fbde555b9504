import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from '../support/documents.js';

const FOLDER = '.github/workflows';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const { version, scripts } = readJson(read('package.json')) as { version: string; scripts: Record<string, string> };

describe.each(readdirSync(join(root, FOLDER)))('the workflow %s', (name) => {
  const text = read(`${FOLDER}/${name}`);
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('takes actions by their commits, and says which release that is', () => {
    const used = text.match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(1);
    for (const one of used) expect(one).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('may read the repository, and what a job needs beside that', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const [job, { permissions: own, 'timeout-minutes': minutes }] of Object.entries(jobs)) {
      expect(own?.contents ?? 'read', job).toBe('read');
      expect(minutes, job).toBeGreaterThan(0);
    }
  });

  it('runs scripts of this repository, and puts nothing of an event into a shell', () => {
    for (const { run } of steps) {
      if (run === undefined) continue;
      expect(run).not.toContain('${{');
      expect(run).not.toContain('\n');
      const [, script] = /^npm run ([\w:]+)/.exec(run) ?? [];
      const [, path] = /(?:^node |CI=true )(\S+)/.exec(run) ?? [];
      const isThere = script === undefined ? path !== undefined && existsSync(join(root, path)) : script in scripts;
      expect(run === 'npm ci' || run === 'npm ci --ignore-scripts' || isThere, run).toBe(true);
    }
  });
});

describe('publishing', () => {
  it('is done without installing or building anything beside a token', () => {
    const { jobs } = parse(read(`${FOLDER}/release.yml`)) as Workflow;
    const runs = (job: string) => jobs[job]!.steps.flatMap(({ run }) => run ?? []);
    const holdsToken = (job: string) => Object.keys(jobs[job]!.permissions ?? {}).some((one) => one !== 'contents');
    const withToken = Object.keys(jobs).filter(holdsToken);
    expect(withToken).toEqual(['packages', 'image']);
    for (const run of withToken.flatMap(runs)) expect(run).toMatch(/^node scripts\/publish\.mjs /);
    for (const job of ['build', 'build-image']) expect(runs(job)).toContain('npm ci --ignore-scripts');
  });

  const publish = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/publish.mjs'), ...args], {
      encoding: 'utf8',
    });
    return { status, out: stdout, err: stderr };
  };

  it('tells later steps what the release is called', () => {
    const file = `countersign-${version}-linux-${process.arch}`;
    const out = `version=${version}\nimage=localhost/countersign:${version}\nfile=${file}\n`;
    expect(publish('check', `v${version}`)).toEqual({ status: 0, out, err: '' });
  });

  it.each([
    [['check', 'v0.0.1'], `the packages have the version ${version}, and the tag is v0.0.1`],
    [['packages', '--from', 'docs'], 'there is no package in'],
    [['image'], 'scripts/publish.mjs image NAME'],
    [[], 'scripts/publish.mjs packages [--dry-run]'],
    [['everything'], 'scripts/publish.mjs check'],
  ])('is refused with %j', (args, why) => {
    const { status, out, err } = publish(...args);
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(why);
  });
});
