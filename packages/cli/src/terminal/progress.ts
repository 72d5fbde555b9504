import type { Screen, Surroundings } from './surroundings.js';

const BAR_WIDTH = 30;

/** A bar on standard error that shows how far long work has come; nothing where there is no terminal. */
export class ProgressBar {
  readonly #screen: Screen | undefined;
  readonly #now: () => number;
  #drawn = 0;

  constructor({ stderr, now }: Surroundings, isJson: boolean) {
    this.#screen = stderr.isTTY === true && !isJson ? stderr : undefined;
    this.#now = now;
  }

  /** Draws the bar, ten times a second at most. */
  at(what: string, done: number, all: number): void {
    const now = this.#now();
    if (!this.#screen || now - this.#drawn < 100) return;
    this.#drawn = now;
    const share = all > 0 ? Math.min(1, done / all) : 0;
    const full = Math.round(share * BAR_WIDTH);
    const bar = all > 0 ? `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${Math.floor(share * 100)} %  ` : '';
    this.#screen.write(`\r\u001b[K${what}  ${bar}${done}${all > 0 ? ` of ${all}` : ''}`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#drawn > 0) this.#screen?.write('\r\u001b[K');
    this.#drawn = 0;
  }
}
