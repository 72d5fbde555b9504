import { Home, readPrivate } from '../home/home.js';
import { ask, type PasswordQuestion, type TerminalQuestion } from '../terminal/ask.js';
import { Failure, usage } from '../terminal/failure.js';
import { readInput } from '../terminal/input.js';
import type { Output } from '../terminal/output.js';
import { isInteractive, type Surroundings } from '../terminal/surroundings.js';
import { type Definition, optionName, optionsOf, takesValue } from './definition.js';

/** Values as the parser gives them. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** One call of a command: its values, and what it may ask for. */
export class Invocation {
  readonly home: Home;
  #input: Promise<string> | undefined;

  constructor(
    readonly command: Definition,
    readonly values: Values,
    readonly output: Output,
    readonly surroundings: Surroundings,
    /** Options on the command line: others have their value from the environment, or by default. */
    readonly typed: ReadonlySet<string>,
  ) {
    this.home = new Home(surroundings);
  }

  /** Whether a flag was given. */
  is(name: string): boolean {
    return this.values[name] === true;
  }

  /** A value that was given; undefined when it was not. */
  get(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The values of an option that may be given several times. */
  all(name: string): readonly string[] {
    const value = this.values[name];
    return Array.isArray(value) ? value : [];
  }

  /**
   * A value that is needed: what was given, or else what the user answers.
   *
   * @throws Failure when it is missing and nobody can be asked
   */
  async need(name: string, question?: TerminalQuestion): Promise<string> {
    const given = this.get(name);
    if (given !== undefined) return given;
    const asked = question ?? this.#questionOf(name);
    if (asked === undefined || !isInteractive(this.surroundings)) {
      throw usage(`${this.#called(name)} is missing.`, 'give it: there is no terminal to ask at');
    }
    return ask(asked, this.surroundings);
  }

  /** Asks for a choice that has a flag of the same name; where nobody can be asked, it is what the flag says. */
  async isWanted(name: string, message: string): Promise<boolean> {
    if (this.is(name) || this.is('yes')) return true;
    if (!isInteractive(this.surroundings)) return false;
    return (await ask({ kind: 'confirm', message }, this.surroundings)) === 'yes';
  }

  /**
   * Has the user confirm what cannot be undone.
   *
   * @throws Failure unless it is confirmed
   */
  async confirm(message: string): Promise<void> {
    if (await this.isWanted('yes', message)) return;
    if (!isInteractive(this.surroundings)) throw usage('This needs confirmation.', 'add --yes');
    throw new Failure('cancelled', 'Stopped: it was not confirmed.');
  }

  /**
   * A password: from standard input where the flag says so, from the environment or the file that it names, or from the
   * user.
   *
   * @param question what is asked; a new password is asked for twice, and one that is wrong by `check` again
   */
  async password(question: Omit<PasswordQuestion, 'kind'>): Promise<string> {
    const { COUNTERSIGN_PASSWORD: kept, COUNTERSIGN_PASSWORD_FILE: file } = this.surroundings.env;
    if (this.is('password-stdin')) return firstLineOf(await this.input()) || this.#noPassword();
    if (kept !== undefined && kept !== '') return kept;
    if (file !== undefined && file !== '') return firstLineOf(await readPrivate(file)) || this.#noPassword();
    if (!isInteractive(this.surroundings)) return this.#noPassword();
    return ask({ kind: 'password', ...question }, this.surroundings);
  }

  /** All of standard input, which is read once. */
  input(): Promise<string> {
    this.#input ??= readInput(this.surroundings.stdin);
    return this.#input;
  }

  #noPassword(): never {
    throw usage(
      'A password is needed.',
      'set COUNTERSIGN_PASSWORD or COUNTERSIGN_PASSWORD_FILE, or give --password-stdin',
    );
  }

  #questionOf(name: string): TerminalQuestion | undefined {
    const argument = this.command.arguments?.find((one) => one.name === name);
    return argument?.ask ?? optionsOf(this.command).find((one) => optionName(one) === name)?.ask;
  }

  #called(name: string): string {
    const option = optionsOf(this.command).find((one) => optionName(one) === name);
    return option !== undefined && takesValue(option) ? `--${name}` : `<${name}>`;
  }
}

function firstLineOf(text: string): string {
  return text.split(/\r?\n/)[0] as string;
}
