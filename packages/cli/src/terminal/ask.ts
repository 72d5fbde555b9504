import { Failure } from './failure.js';
import { printable } from './printable.js';
import type { Surroundings } from './surroundings.js';

/** A question to a person at a terminal. */
export type TerminalQuestion =
  | {
      readonly kind: 'text';
      readonly message: string;
      readonly initial?: string;
      /** What is wrong with an answer, which is then asked for again. */
      readonly check?: (answer: string) => string | undefined;
    }
  | PasswordQuestion
  | { readonly kind: 'confirm'; readonly message: string }
  | { readonly kind: 'select'; readonly message: string; readonly choices: readonly string[] };

export interface PasswordQuestion {
  readonly kind: 'password';
  readonly message: string;
  readonly repeat?: boolean;
  /** What is wrong with a password, which is then asked for again. */
  readonly check?: (password: string) => string | undefined;
}

/**
 * Asks. Questions are written to standard error, so that standard output holds results only.
 *
 * @returns the answer; `yes` or `no` for a confirmation
 * @throws Failure when the user gives up
 */
export async function ask(question: TerminalQuestion, { stdin, stderr }: Surroundings): Promise<string> {
  // Loaded only when somebody is asked: commands in scripts start faster.
  const clack = await import('@clack/prompts');
  const streams = { input: stdin, output: stderr, withGuide: false };
  const answered = <Value>(answer: Value): Exclude<Value, symbol> => {
    if (typeof answer === 'symbol') throw new Failure('cancelled', 'Stopped.');
    return answer as Exclude<Value, symbol>;
  };
  // It may name what a server has answered.
  const message = printable(question.message);
  const check = 'check' in question ? question.check : undefined;
  const validate = (text: string | undefined) => (text ? check?.(text) : 'Enter a value.');
  switch (question.kind) {
    case 'text': {
      const initial = question.initial === undefined ? {} : { initialValue: question.initial };
      return answered(await clack.text({ ...streams, message, ...initial, validate }));
    }
    case 'password': {
      const password = answered(await clack.password({ ...streams, message, validate, clearOnError: true }));
      if (question.repeat) {
        const isSame = (again: string | undefined) => (again === password ? undefined : 'The passwords differ.');
        answered(await clack.password({ ...streams, message: 'Repeat the password', validate: isSame }));
      }
      return password;
    }
    case 'confirm':
      return answered(await clack.confirm({ ...streams, message, initialValue: false })) ? 'yes' : 'no';
    case 'select': {
      const options = question.choices.map((value) => ({ value, label: printable(value) }));
      return answered(await clack.select<string>({ ...streams, message, options }));
    }
  }
}
