import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../deliveries/process.js';
import { type Cable, layCable } from '../../store/cable.js';
import type { TestAnswer } from '../../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { runSql } from '../../support/sql.js';
import { type Disturbance, type Kind, PROCESS_FAULTS, type ProcessNumber } from './draws.js';
import { Line } from './line.js';

/** Shorter than the service's, so that what waits for a process that is gone waits less. */
const BOUNDS = {
  sequencer: { lease: 1_000, margin: 300 },
  siblings: { silence: 1_000, respite: 200 },
};

/** Milliseconds that a disturbance goes on at most when nobody is answered meanwhile. */
const LONGEST = 100;

/** How much each sort of disturbance has disturbed: answers that were lost, questions, leaders. */
export type Disturbed = Map<Kind, number>;

/** A process with its way to the database and the folder in which it meets the other. */
interface Side {
  readonly cable: Cable;
  readonly folder: string;
  process: ServerProcess;
  /** Of the socket at which it listens to its sibling. */
  name: string;
  /** From its sibling to it. */
  line: Line;
}

/** Two processes on one database, and all that may happen to them. */
export class Deployment {
  #ahead = Date.parse('2031-01-01T12:00:00.000Z') - Date.now();
  #now: Disturbance | undefined;
  #happening: Promise<void> | undefined;
  /** The process that it happens to. */
  #to: ProcessNumber | undefined;
  #answers = 0;
  #heard: () => void = () => {};

  private constructor(
    readonly database: TestDatabase,
    readonly sides: readonly [Side, Side],
    private readonly disturbed: Disturbed,
  ) {}

  static async start(disturbed: Disturbed): Promise<Deployment> {
    const database = await createMigratedDatabase();
    const makeSide = async () => ({
      cable: await layCable(database.url),
      folder: await mkdtemp(join(tmpdir(), 'countersign-test-')),
    });
    const sides = (await Promise.all([makeSide(), makeSide()])) as unknown as [Side, Side];
    const deployment = new Deployment(database, sides, disturbed);
    await Promise.all([deployment.#start(0), deployment.#start(1)]);
    return deployment;
  }

  url(of: ProcessNumber): string {
    return this.sides[of].process.url;
  }

  /** Milliseconds since 1970, as both processes have it. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Has that happen amid what follows. @returns waits until it is over, and all is as before */
  disturb(disturbance: Disturbance): () => Promise<void> {
    this.#now = disturbance;
    this.#happening = undefined;
    this.#to = undefined;
    this.#answers = 0;
    return async () => {
      await this.#begin();
      for (const { line } of this.sides) this.#noteDisturbed(await line.mend());
      await Promise.all(this.sides.map(({ process: { url } }) => untilReady(url)));
      if (disturbance.isOvernight) await this.#move(86_400_000);
      this.#now = undefined;
    };
  }

  /**
   * Asks one process after the other until one answers: the second has to, unless both were killed.
   *
   * @returns the answer, and whether another one may have been lost
   */
  async ask(first: ProcessNumber, question: (url: string) => Promise<TestAnswer>) {
    for (let lost = 0; ; lost += 1) {
      const to = (lost % 2 === 0 ? first : 1 - first) as ProcessNumber;
      const answer = await question(this.url(to)).catch((error: Error) => error);
      this.#noteAnswer();
      if (!(answer instanceof Error) && answer.status !== 503 && answer.status !== 408)
        return { answer, isLost: lost > 0 };
      const why = answer instanceof Error ? String(answer.cause) : answer.text;
      expect(this.#mayRefuse(to), `process ${to} amid ${this.#now?.kind}: ${why}`).toBe(true);
      this.#noteDisturbed(1);
      if (this.#now?.kind === 'both killed') await this.#happening;
    }
  }

  /** Waits until intents are decided on; some may only be accepted. */
  decide(handles: readonly string[]): Promise<void> {
    return this.#seeTo(`stage = 'accepted' and handle = any($1)`, handles);
  }

  /** Waits until nothing happens any more: intents that nobody has permitted expire in a night. */
  rest(): Promise<void> {
    return this.#seeTo('due is not null or deadline <= $1', new Date(this.now()).toISOString());
  }

  /** Has intents under way seen to, until there are none of which that holds. */
  async #seeTo(condition: string, value: unknown): Promise<void> {
    const look = async () => {
      const rows = await runSql(
        this.database.url,
        `select handle, pg_notify('countersign_background', 'process-intents') from open_intent
          join record using (ledger_id, luid) where ${condition}`,
        [value],
      );
      expect(rows).toEqual([]);
    };
    await vi.waitFor(look, { timeout: 60_000, interval: 100 });
  }

  async stop(): Promise<void> {
    for (const { process, line, cable, folder } of this.sides) {
      process.child.kill('SIGKILL');
      await process.ended;
      await line.close();
      await cable.close();
      await rm(folder, { recursive: true });
    }
    await this.database.drop();
  }

  async #start(at: ProcessNumber): Promise<void> {
    const side = this.sides[at];
    const other = this.sides[1 - at]!;
    side.process = await startServerProcess({
      database: side.cable.url,
      siblings: side.folder,
      ahead: this.#ahead,
      connections: { idle: 200 },
      background: { lease: 2_000, beat: 500 },
      requestTimeout: 120_000,
      bounds: BOUNDS,
    });
    side.name = (await readdir(side.folder)).find((name) => name !== other.name)!;
    await this.#layLine(at);
  }

  async #layLine(to: ProcessNumber): Promise<void> {
    const side = this.sides[to];
    side.line = await Line.lay(join(this.sides[1 - to]!.folder, side.name), join(side.folder, side.name));
  }

  /** Ends a process, and starts another one in its place. @returns its exit code */
  async #replace(at: ProcessNumber, signal: NodeJS.Signals): Promise<number | null> {
    const { process, folder, name } = this.sides[at];
    process.child.kill(signal);
    const code = await process.ended;
    await this.sides[at].line.close();
    await rm(join(folder, name), { force: true });
    await this.#start(at);
    return code;
  }

  async #move(by: number): Promise<void> {
    this.#ahead += by;
    for (const { process } of this.sides) {
      const moved = once(process.child, 'message');
      process.child.send({ ahead: this.#ahead });
      await moved;
    }
  }

  #mayRefuse(at: ProcessNumber): boolean {
    if (!PROCESS_FAULTS.some((one) => one === this.#now?.kind)) return false;
    return this.#to !== undefined && (this.#now?.kind === 'both killed' || this.#to === at);
  }

  #noteAnswer(): void {
    this.#answers += 1;
    this.#heard();
    if (this.#now && this.#answers >= this.#now.after) void this.#begin();
  }

  #noteDisturbed(count: number): void {
    const { kind } = this.#now!;
    this.disturbed.set(kind, (this.disturbed.get(kind) ?? 0) + count);
  }

  /** Waits for further answers, as far as there are any. */
  async #further(answers: number): Promise<void> {
    const until = this.#answers + answers;
    const heard = new Promise<void>((resolve) => {
      this.#heard = () => {
        if (this.#answers >= until) resolve();
      };
    });
    await Promise.race([heard, pause(LONGEST)]);
  }

  #begin(): Promise<void> {
    const disturbance = this.#now!;
    if (!this.#happening) {
      this.#happening = this.#happen(disturbance);
      // It is told at the end of the phase.
      this.#happening.catch(() => {});
    }
    return this.#happening;
  }

  /** The process that decides on the ledger that was used last, or the other one. */
  async #find(isLeader: boolean): Promise<ProcessNumber> {
    const [row] = await runSql<{ holder: string }>(
      this.database.url,
      'select holder from home order by until desc limit 1',
    );
    const isFirst = row?.holder.endsWith(this.sides[0].name) ?? true;
    return isFirst === isLeader ? 0 : 1;
  }

  async #happen({ kind, isOfLeader, times }: Disturbance): Promise<void> {
    const to = await this.#find(isOfLeader);
    this.#to = to;
    const { cable } = this.sides[to];
    switch (kind) {
      case 'killed':
        await this.#replace(to, 'SIGKILL');
        return;
      case 'both killed':
        await Promise.all([this.#replace(0, 'SIGKILL'), this.#replace(1, 'SIGKILL')]);
        return;
      case 'left':
        expect(await this.#replace(to, 'SIGTERM')).toBe(0);
        return;
      case 'database cut':
        await cable.cut();
        await this.#further(2 * times);
        return cable.mend();
      case 'database stalled':
        // What is stored meanwhile is answered to nobody.
        cable.stall();
        await this.#further(times);
        await cable.cut();
        return cable.mend();
      case 'stood still':
        return this.#halt(to);
      case 'leaders lost':
        return this.#loseLeaders(times);
      case 'siblings apart':
        return this.#part(times);
      default:
        for (const { line } of this.sides) line.spoil(kind, 2 * times);
    }
  }

  /** Takes ledgers from their leaders, which take themselves for these yet, and gives them to nobody or to either process. */
  async #loseLeaders(times: number): Promise<void> {
    const [first, second] = this.sides.map(({ process: { pid }, name }) => `0/${pid}/${name}`);
    for (let time = 0; time < times; time += 1) {
      const holder = [undefined, second, first, 'nobody'][time % 4];
      const rows = await runSql(
        this.database.url,
        `update home set holder = coalesce($1, holder),
          until = case when $2 then clock_timestamp() + interval '1 second' else '-infinity' end returning ledger_id`,
        [holder, holder === first || holder === second],
      );
      this.#noteDisturbed(rows.length);
      await this.#further(2);
    }
  }

  /** Has a process stand still until it is not the leader any more. */
  async #halt(at: ProcessNumber): Promise<void> {
    const { process, name } = this.sides[at];
    process.child.kill('SIGSTOP');
    await eventually(async () => {
      const held = 'select from home where until > clock_timestamp() and holder like $1';
      expect(await runSql(this.database.url, held, [`%/${name}`])).toEqual([]);
    });
    await this.#further(1);
    process.child.kill('SIGCONT');
    this.#noteDisturbed(1);
  }

  async #part(times: number): Promise<void> {
    await Promise.all(this.sides.map(({ line }) => line.close()));
    await this.#further(2 * times);
    await Promise.all([this.#layLine(0), this.#layLine(1)]);
    this.#noteDisturbed(1);
  }
}

async function untilReady(url: string): Promise<void> {
  const { origin } = new URL(url);
  await eventually(async () => expect((await fetch(`${origin}/health/ready`)).status).toBe(200));
}
