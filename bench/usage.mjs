import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds per tick, the unit of processor time; 100 ticks make a second on every Linux. */
const TICK = 10;

/**
 * What a server uses, it and all processes it started: milliseconds of processor time, its own, that of its main threads,
 * and PostgreSQL's, and the mebibytes its largest process holds. Nothing where the system does not tell (other than Linux).
 */
export function usageOf({ pid }) {
  const processes = everyProcess();
  if (processes.length === 0) return undefined;
  const members = new Set([pid]);
  // A child's id may be lower than its parent's once ids have wrapped around: until nothing is added.
  for (let size = 0; size !== members.size; ) {
    size = members.size;
    for (const one of processes) if (members.has(one.parent)) members.add(one.pid);
  }
  const usage = { server: 0, main: 0, database: 0, memory: 0 };
  for (const one of processes) {
    if (!members.has(one.pid)) continue;
    if (one.name === 'postgres') usage.database += one.time;
    else {
      usage.server += one.time;
      usage.main += one.main;
      usage.memory = Math.max(usage.memory, one.memory);
    }
  }
  return usage;
}

/** The first fields of `cpu` in /proc/stat, in ticks since boot. Guest time, which follows them, is part of user time. */
const FIELDS = 8;

/** Index of steal time among them. */
const STEAL = 7;

/**
 * Begins to measure what share of the processors' time the host of a virtual machine gives to others.
 *
 * @returns a function that tells the share since then, from 0 to 1; undefined on systems other than Linux
 */
export function measureSteal() {
  const began = readTicks();
  return () => {
    const now = readTicks();
    if (!began || !now) return undefined;
    const spent = now.map((ticks, field) => ticks - began[field]);
    const all = spent.reduce((sum, ticks) => sum + ticks, 0);
    return all === 0 ? 0 : spent[STEAL] / all;
  };
}

function readTicks() {
  try {
    const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
    return line
      .split(/\s+/)
      .slice(1, 1 + FIELDS)
      .map(Number);
  } catch {
    return undefined;
  }
}

function everyProcess() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => oneProcess(Number(pid)));
  } catch {
    return [];
  }
}

function timeOf(ticks) {
  return ticks.reduce((sum, each) => sum + Number(each), 0) * TICK;
}

function oneProcess(pid) {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const fields = rest.split(' ');
    const main = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    // With that of children that have ended: PostgreSQL's processes come and go.
    const time = timeOf(fields.slice(11, 15));
    return [
      {
        pid,
        name,
        parent: Number(fields[1]),
        time,
        main: timeOf(main.slice(11, 13)),
        memory: Number(kib ?? 0) / 1_024,
      },
    ];
  } catch {
    // It ended between the two.
    return [];
  }
}
