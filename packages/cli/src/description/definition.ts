import type { TerminalQuestion } from '../terminal/ask.js';

/** A value by position. */
export interface Argument {
  /** As `--help` shows it; names the value in the code, too. */
  readonly name: string;
  readonly about: string;
  /** Without it the command asks, when it comes to need it, or takes the default. */
  readonly isOptional?: boolean;
  /** The values that may be given, for help and completion. */
  readonly choices?: readonly string[];
  readonly ask?: TerminalQuestion;
}

/** A value by name. */
export interface Option {
  /** As commander takes it: `--file <path>`, `--yes`, `--filter <filter...>`. */
  readonly flags: string;
  readonly about: string;
  /** Environment variable that stands in for the flag. */
  readonly env?: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** What is asked when the value is needed and was not given. So each question has a flag. */
  readonly ask?: TerminalQuestion;
}

/** An example of a call, and what it is for. */
export interface Example {
  readonly call: string;
  readonly about: string;
}

/** What a command is called and takes: help, pages, completion and the parser are all made from this. */
export interface Definition {
  /** Its words: `['key', 'create']`. */
  readonly path: readonly string[];
  /** One line, as an order: `Make a key pair`. */
  readonly summary: string;
  /** Further sentences. */
  readonly about?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Whether it speaks to a server: it then has the options that say to which, and as whom. */
  readonly connects?: boolean;
  readonly examples?: readonly Example[];
}

/** Options that every command has. */
export const GENERAL: readonly Option[] = [
  { flags: '--json', about: 'write the result as JSON, and failures as JSON to standard error' },
  { flags: '--yes', about: 'answer yes to every confirmation' },
];

/** What opens a key. */
export const PASSWORD: readonly Option[] = [
  {
    flags: '--password-stdin',
    about:
      'read the password of the key from the first line of standard input; COUNTERSIGN_PASSWORD may hold it instead, ' +
      'or COUNTERSIGN_PASSWORD_FILE name a file with it that nobody else may read',
    ask: { kind: 'password', message: 'Password of the key' },
  },
];

/** Options of commands that speak to a server. */
export const CONNECTION_OPTIONS: readonly Option[] = [
  { flags: '--context <name>', env: 'COUNTERSIGN_CONTEXT', about: 'use this context instead of the selected one' },
  { flags: '--server <url>', env: 'COUNTERSIGN_SERVER', about: 'base URL of the server, which ends in /v2' },
  { flags: '--ledger <handle>', env: 'COUNTERSIGN_LEDGER', about: 'handle of the ledger' },
  { flags: '--signer <key>', env: 'COUNTERSIGN_SIGNER', about: 'name of the key that signs' },
  { flags: '--anonymous', about: 'ask as nobody, without a key: for what everyone may read' },
  ...PASSWORD,
];

/** All options of a command. */
export function optionsOf(command: Definition): readonly Option[] {
  const own = command.options ?? [];
  const shared = [...(command.connects ? CONNECTION_OPTIONS : []), ...GENERAL];
  const names = new Set(own.map(optionName));
  return [...own, ...shared.filter((one) => !names.has(optionName(one)))];
}

/** `password-stdin` of `--password-stdin`. */
export function optionName({ flags }: Option): string {
  const name = /--([a-z-]+)/.exec(flags)?.[1];
  if (name === undefined) throw new Error(`Option without a long name: ${flags}`);
  return name;
}

/** Whether the option takes a value. */
export function takesValue({ flags }: Option): boolean {
  return flags.includes('<');
}
