import { styleText } from 'node:util';
import type { Json } from '@countersign/protocol';
import type { Failure } from './failure.js';
import { printable, printableJson } from './printable.js';
import type { Screen, Surroundings } from './surroundings.js';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** Writes results to standard output, and everything that is said beside them to standard error. */
export class Output {
  readonly #out: Screen;
  readonly #error: Screen;
  readonly #noColour: boolean;

  /** @param isJson results are written as JSON, for programs */
  constructor(
    { stdout, stderr, env }: Surroundings,
    readonly isJson: boolean,
  ) {
    this.#out = stdout;
    this.#error = stderr;
    this.#noColour = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  }

  /** The width of the terminal, when there is one. */
  get width(): number | undefined {
    return this.#out.isTTY === true ? this.#out.columns : undefined;
  }

  /** The result as JSON, under `--json`; else as the text that `show` makes of it. */
  result(value: Json, show: () => string): void {
    this.#out.write(`${this.isJson ? printableJson(value, 2) : show()}\n`);
  }

  /** One of many results, under `--json` on a line of its own. */
  line(value: Json, show: () => string): void {
    this.#out.write(`${this.isJson ? printableJson(value) : show()}\n`);
  }

  /** Writes a result as it is. */
  raw(text: string | Uint8Array): void {
    this.#out.write(text);
  }

  /** Something done, for people. */
  done(text: string): void {
    if (!this.isJson) this.#error.write(`${this.#on(this.#error, 'green', '✓')} ${printable(text)}\n`);
  }

  /** Something to know, for people. */
  note(text: string): void {
    if (!this.isJson) this.#error.write(`${printable(text)}\n`);
  }

  /** Something to beware of. */
  warn(text: string): void {
    this.#error.write(`${this.#on(this.#error, 'yellow', 'Beware:')} ${printable(text)}\n`);
  }

  /** Text of the result in a style, where the terminal shows styles. */
  style(style: Style, text: string): string {
    return this.#on(this.#out, style, text);
  }

  /** Says why the command fails: the reason, the detail, and what to try. */
  failure(failure: Failure): void {
    const { reason, advice, errors = [], body } = failure.more;
    if (this.isJson) {
      const told = body ?? {
        error: { exit: failure.code, detail: failure.message, reason },
      };
      this.#error.write(`${printableJson(told, 2)}\n`);
      return;
    }
    const bold = (text: string) => this.#on(this.#error, 'bold', text);
    const lines = [`${this.#on(this.#error, 'red', '✗')} ${printable(failure.message)}`];
    if (reason !== undefined) lines.push(`  ${bold('Reason:')} ${printable(reason)}`);
    for (const error of errors) lines.push(`  - ${printable(error)}`);
    if (advice !== undefined) lines.push(`  ${bold('Try:')} ${printable(advice)}`);
    this.#error.write(`${lines.join('\n')}\n`);
  }

  #on(screen: Screen, style: Style, text: string): string {
    if (screen.isTTY !== true || this.#noColour) return text;
    return styleText(style, text, { validateStream: false });
  }
}
