import { isDistributed } from '../store/nodes/distribution.js';
import type { Queryable } from '../store/queries/statement.js';
import { readMigrations, readSql } from '../store/sql.js';

interface FoundTrigger {
  readonly table: string;
  /** The name of its function, and the text of it. */
  readonly name: string;
  readonly text: string;
}

/** Tables whose rows are never changed, and triggers of theirs that are on. */
const TRIGGERS = `select c.relname as table, p.proname as name, p.prosrc as text
  from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_proc p on p.oid = g.tgfoid
  where g.tgrelid in (to_regclass('change'), to_regclass('entry')) and g.tgenabled in ('O', 'A')
    and g.tgname like $1`;

/** What is wrong with the triggers that keep the history append-only, as the database that is asked has them. */
export async function examineHistoryTriggers(on: Queryable): Promise<string[]> {
  const isCluster = await isDistributed(on);
  // Citus makes triggers of rows alone on shards.
  const { rows } = await on.query<FoundTrigger>({
    text: TRIGGERS,
    values: [isCluster ? 'append_only_rows' : 'append_only%'],
  });
  const texts = isCluster ? readClusterText() : readMigrationTexts();
  return ['change', 'entry'].flatMap((table) => {
    const found = rows.filter((row) => row.table === table);
    if (found.length === 0) return [`the trigger that keeps ${table} append-only is off`];
    const altered = found.filter(({ name, text }) => !texts.get(name)?.test(text));
    return altered.map(
      ({ name }) =>
        `the function ${name}, by which a trigger keeps ${table} append-only, differs from that of this release`,
    );
  });
}

/** Texts of functions of triggers, by name: the last one of each counts. */
function readMigrationTexts(): Map<string, RegExp> {
  const made = readMigrations().flatMap(({ text }) => [
    ...text.matchAll(/^create (?:or replace )?function (\w+)\(\) returns trigger[^$]*\$\$([^$]*)\$\$/gm),
  ]);
  return new Map(made.map(([, name, text]) => [name!, new RegExp(`^${quote(text!)}$`)]));
}

/** That of a cluster, which names the shards of two tables. */
function readClusterText(): Map<string, RegExp> {
  const made =
    /function cluster\.(refuse_rewriting_\w+)\(\) returns trigger[\s\S]*? as %L', format\('([\s\S]*?)',\n +\(select/.exec(
      readSql('distribute'),
    );
  const text = made![2]!.replaceAll("''", "'").split(/(%[s%])/);
  const pattern = text.map((part) => (part === '%s' ? '\\d+' : quote(part === '%%' ? '%' : part))).join('');
  return new Map([[made![1]!, new RegExp(`^${pattern}$`)]]);
}

function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
