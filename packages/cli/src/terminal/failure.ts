import type { Json } from '@countersign/protocol';

/** The exit codes of the command. They are part of its interface: docs/cli.md lists them. */
export const EXIT = {
  done: { code: 0, meaning: 'The command did what was asked.' },
  refused: {
    code: 1,
    meaning:
      'The server refused the request, or the deployment does not allow it as it stands, or `verify`, `admin doctor` or `admin check-database` found something.',
  },
  usage: {
    code: 2,
    meaning: 'The command was called incorrectly, or a value is missing and there is no terminal to ask at.',
  },
  unreachable: {
    code: 3,
    meaning: 'The server or its database cannot be reached, or it does not answer like a ledger server.',
  },
  local: {
    code: 4,
    meaning:
      'A key, a password, a file or a setting on this machine, or with `admin … --server` on that of the server, is missing or wrong.',
  },
  untrusted: { code: 5, meaning: 'An answer does not verify: its hash or a proof is wrong.' },
  pending: { code: 6, meaning: 'What the command waited for did not end in time.' },
  cancelled: { code: 130, meaning: 'The user stopped the command.' },
} as const;

/** The name of an exit code. */
export type Exit = keyof typeof EXIT;

/** Why a command ends without success: told to the user in words, and to scripts by the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /**
   * @param exit how the process ends
   * @param message what is wrong
   * @param more `reason` as the server names it, `status` of the answer, `advice` what to try, `body` the whole
   *   answer for `--json`
   */
  constructor(
    readonly exit: Exit,
    message: string,
    readonly more: {
      readonly reason?: string;
      readonly status?: number;
      readonly advice?: string | undefined;
      readonly errors?: readonly string[];
      readonly body?: Json;
    } = {},
  ) {
    super(message);
  }

  get code(): number {
    return EXIT[this.exit].code;
  }
}

/** A wrong call of the command. */
export function usage(message: string, advice?: string): Failure {
  return new Failure('usage', message, { advice });
}

/** Something on this machine is missing or wrong. */
export function localFailure(message: string, advice?: string): Failure {
  return new Failure('local', message, { advice });
}
