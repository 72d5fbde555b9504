/** Prints the tour: numbered steps, each with what was sent, what came back and what was checked. */
export class Report {
  #steps = 0;

  /** Begins a step. */
  step(title, ...why) {
    this.#steps += 1;
    console.log(`\n${String(this.#steps).padStart(2)}. ${title}`);
    for (const line of why) console.log(`    ${line}`);
  }

  sent(text) {
    this.#line('sent', text);
  }

  answered(text) {
    this.#line('answered', text);
  }

  received(text) {
    this.#line('received', text);
  }

  verified(text) {
    this.#line('verified', text);
  }

  #line(label, text) {
    const [first, ...others] = text.split('\n');
    console.log(`    ${label.padEnd(9)} ${first}`);
    for (const other of others) console.log(`${' '.repeat(14)}${other}`);
  }
}

/** The first characters of a hash, which tell hashes apart well enough for a reader. */
export function short(hash) {
  return `${hash.slice(0, 12)}…`;
}
