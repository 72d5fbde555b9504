import type { Readable, Writable } from 'node:stream';
import type { ScryptWork } from '@countersign/client/key-file';

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What the command takes from the process it runs in. Tests and other programs may pass their own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** The user's home folder. */
  readonly userHome: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Settles when the user asks to stop (Ctrl-C, SIGTERM). */
  stopped(): Promise<void>;
  /** For keys that are thrown away; the command itself leaves it out. */
  readonly keyWork?: ScryptWork;
  /** From here on, output that nobody reads to its end is a failure: a part of it is of no use. */
  needsReader?(): void;
}

/** How the user calls the command: what npx runs is not on the path. */
export function commandName({ env }: Pick<Surroundings, 'env'>): string {
  return env.npm_lifecycle_event === 'npx' ? 'npx countersign' : 'countersign';
}

/** Whether there is somebody to ask: questions are written to standard error and answered on standard input. */
export function isInteractive({ stdin, stderr }: Surroundings): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
