import { readJson } from '@countersign/protocol';
import type pg from 'pg';
import { findNodes, formatAddress, isDistributed } from '../../store/nodes/distribution.js';
import { readMigrations, readSql } from '../../store/sql.js';
import { Illness } from './diagnosis.js';

/** A trigger that this release makes. */
interface MadeTrigger {
  readonly name: string;
  readonly table: string;
  /** As `define` writes it: without names, events sorted. */
  readonly definition: string;
  /** The name of its function, with `cluster.` where it is in that schema. */
  readonly function: string;
}

/** A trigger of a table, or of a shard of it, as the database has it. */
interface FoundTrigger {
  /** That on a shard ends with the number of it. */
  readonly name: string;
  /** By `pg_get_triggerdef`. */
  readonly definition: string;
  readonly isOn: boolean;
  readonly function: string;
  /** Of the function. */
  readonly text: string;
}

/** What this release makes. */
interface Release {
  readonly triggers: readonly MadeTrigger[];
  /** By the name of a function of triggers, what its text must be. */
  readonly texts: ReadonlyMap<string, RegExp>;
}

/** Something that is wrong with a trigger. */
interface Fault {
  readonly text: string;
  /** Of a cluster, the shard whose trigger it is; absent for that of the table. */
  readonly shard?: number;
}

/**
 * What is wrong with the triggers that keep the history append-only, and of those that refuse values sealed under a closed master key. On a
 * cluster, those of each shard are compared as well.
 *
 * @throws Illness where a node of the cluster cannot be read
 */
export async function examineTriggers(pool: pg.Pool): Promise<string[]> {
  const isCluster = await isDistributed(pool);
  // At once: each shard would be tried.
  const down = (await findNodes(pool)).filter(({ isUp }) => !isUp);
  if (down.length > 0) throw unreadable(`${down.map(formatAddress).join(', ')} does not answer`);
  const release = isCluster ? readCluster() : readMigrated();
  const faults: Fault[] = [];
  for (const table of new Set(release.triggers.map((one) => one.table))) {
    const made = release.triggers.filter((one) => one.table === table);
    const text = `select ${formatTriggersQuery('to_regclass($1)')} as found`;
    const { rows } = await pool.query<{ found: FoundTrigger[] }>(text, [table]);
    for (const fault of compare(made, rows[0]!.found, release)) faults.push({ text: fault });
    if (isCluster) faults.push(...(await compareShards(pool, table, made, release)));
  }
  return describeFaults(faults);
}

/** SQL: the triggers of a table, as JSON. */
function formatTriggersQuery(table: string): string {
  return `(select coalesce(json_agg(json_build_object('name', g.tgname, 'definition', pg_get_triggerdef(g.oid),
      'isOn', g.tgenabled in ('O', 'A'), 'text', p.prosrc,
      'function', case p.pronamespace::regnamespace::text when 'cluster' then 'cluster.' else '' end || p.proname)), '[]')
    from pg_trigger g join pg_proc p on p.oid = g.tgfoid where g.tgrelid = ${table} and not g.tgisinternal)`;
}

function unreadable(why: string): Illness {
  return new Illness(
    `the triggers of all nodes cannot be read: ${why}`,
    'start the node, and call this again: docs/operations/cluster.md#when-a-node-is-down',
  );
}

async function compareShards(
  pool: pg.Pool,
  table: string,
  made: readonly MadeTrigger[],
  release: Release,
): Promise<Fault[]> {
  // One after the other: each takes a connection of its node.
  const { rows } = await pool.query<{ shard: number; success: boolean; result: string }>(
    'select shardid as shard, success, result from run_command_on_shards($1::regclass, $2, false)',
    [table, `select ${formatTriggersQuery(`'%s'::regclass`)}`],
  );
  return rows.flatMap(({ shard, success, result }): Fault[] => {
    if (!success) throw unreadable(`shard ${shard} of ${table}: ${result}`);
    const found = (readJson(result) as unknown as FoundTrigger[]).map((one) => ({
      ...one,
      name: one.name.replace(new RegExp(`_${shard}$`), ''),
    }));
    // Citus makes triggers of statements on the shards that it moves, and on no others.
    const isExpected = (one: MadeTrigger) => !one.definition.includes('statement') || found.some(hasNameOf(one));
    return compare(made.filter(isExpected), found, release).map((text) => ({ text, shard }));
  });
}

const hasNameOf = (one: { readonly name: string }) => (other: { readonly name: string }) => one.name === other.name;

/** What is wrong with the triggers of a table, or of a shard of it. Others than those of this release may be there. */
function compare(made: readonly MadeTrigger[], found: readonly FoundTrigger[], { texts }: Release): string[] {
  return made.flatMap((one) => {
    const about = `the trigger ${one.name} on ${one.table}`;
    const there = found.find(hasNameOf(one));
    if (there === undefined) return [`${about} is missing`];
    if (!there.isOn) return [`${about} is disabled`];
    if (normalize(there.definition) !== one.definition || there.function !== one.function)
      return [`${about} is defined otherwise than in this release`];
    if (texts.get(one.function)?.test(there.text)) return [];
    return [`the function ${one.function} of ${about} differs from this release`];
  });
}

/** One line for each kind of fault, with its shards. */
function describeFaults(faults: readonly Fault[]): string[] {
  const shards = new Map<string, number[]>();
  for (const { text, shard } of faults)
    shards.set(text, [...(shards.get(text) ?? []), ...(shard === undefined ? [] : [shard])]);
  return [...shards].map(([text, on]) => {
    if (on.length === 0) return text;
    return `${text} (${on.length === 1 ? 'shard' : 'shards'} ${on.join(', ')})`;
  });
}

const MADE =
  /^create trigger (?<name>\w+) (?<when>(?:before|after) [^;]*?) on (?<table>\w+)\s+(?<each>for each [^;]*?) execute function (?<function>[\w.]+)\(\);|^drop trigger (?<dropped>\w+) on (?<from>\w+);/gm;

/** What the migrations make: of each trigger and function, the last one counts. */
function readMigrated(): Release {
  const text = readMigrations()
    .map((one) => one.text)
    .join('\n');
  const triggers = new Map<string, MadeTrigger>();
  for (const { groups } of text.matchAll(MADE)) {
    const { name, when, table, each, dropped, from, function: called } = groups as Record<string, string>;
    if (name)
      triggers.set(`${name} ${table}`, { name, table: table!, function: called!, definition: define(when!, each!) });
    else triggers.delete(`${dropped} ${from}`);
  }
  const functions = text.matchAll(/^create (?:or replace )?function (\w+)\(\) returns trigger[^$]*\$\$([^$]*)\$\$/gm);
  const texts = new Map([...functions].map(([, name, body]) => [name!, new RegExp(`^${quote(body!)}$`)]));
  return { triggers: [...triggers.values()], texts };
}

/** What sql/distribute.sql makes of that, and adds to it. The texts name the shards of tables that each node has. */
function readCluster(): Release {
  const { triggers, texts } = readMigrated();
  const text = readSql('distribute');
  const rewriting =
    /function cluster\.refuse_rewriting_history\(\)[\s\S]*? as %L', format\('([\s\S]*?)',\n +\(select/.exec(text);
  const body = rewriting![1]!.replaceAll("''", "'").split(/(%[s%])/);
  const pattern = body.map((part) => (part === '%s' ? '\\d+' : quote(part === '%%' ? '%' : part))).join('');
  const closed = texts.get('refuse_closed_key')!.source.replace('from master_key', 'from public\\.master_key_\\d+');
  const rows = [...text.matchAll(/\('(\w+)', '((?:update|delete)[\w ]*)'\)/g)].map(
    ([, table, events]): MadeTrigger => ({
      name: 'append_only_rows',
      table: table!,
      function: 'cluster.refuse_rewriting_history',
      definition: define(`before ${events}`, 'for each row'),
    }),
  );
  return {
    triggers: [
      ...triggers.map((one) => {
        if (one.function === 'refuse_closed_key') return { ...one, function: 'cluster.refuse_closed_key' };
        if (one.name !== 'append_only') return one;
        return { ...one, definition: define('before truncate', 'for each statement') };
      }),
      ...rows,
    ],
    texts: new Map([
      ...texts,
      ['cluster.refuse_rewriting_history', new RegExp(`^${pattern}$`)],
      ['cluster.refuse_closed_key', new RegExp(closed)],
    ]),
  };
}

/** A definition as PostgreSQL tells it, without the names. */
function normalize(definition: string): string {
  const parts = /^create trigger \S+ (.*?) on \S+ (.*) execute function \S+$/.exec(definition.toLowerCase());
  return parts === null ? definition : define(parts[1]!, parts[2]!);
}

/**
 * @param when the moment, and the events in whichever order
 * @param each what it is called for, and a condition
 */
function define(when: string, each: string): string {
  const [, moment, events] = /^(before|after|instead of) (.*)$/.exec(when) ?? [];
  return `${moment} ${events?.split(' or ').sort().join(' or ')} ${each}`;
}

function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
