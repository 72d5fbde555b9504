/** Lets one caller wait for something to happen. A ring that nobody waits for is kept until the next wait. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Waits for a ring, for so many milliseconds at most. @returns whether it rang */
  async wait(milliseconds: number): Promise<boolean> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const rang = this.#rung;
    this.#rung = false;
    this.#wake = undefined;
    return rang;
  }
}
