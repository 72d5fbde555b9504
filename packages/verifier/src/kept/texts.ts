import { Column } from './column.js';

/** Texts by numbers, a byte for each character where all are ASCII, and two where not. Each number is set once. */
export class Texts {
  readonly #words = new Column('int32');
  /** Where each text begins, and 1 more. */
  readonly #starts = new Column('int32');
  #end = 0;

  set(number: number, text: string): void {
    const bits = ASCII.test(text) ? 8 : 16;
    const inWord = 32 / bits;
    this.#starts.set(number, this.#end + 1);
    this.#push(2 * text.length + (bits === 8 ? 0 : 1));
    for (let from = 0; from < text.length; from += inWord) {
      let word = 0;
      for (let at = Math.min(from + inWord, text.length) - 1; at >= from; at -= 1)
        word = (word << bits) | text.charCodeAt(at);
      this.#push(word);
    }
  }

  /** The text; an empty one where none was set. */
  get(number: number): string {
    const start = this.#starts.get(number);
    if (start === 0) return '';
    const head = this.#words.get(start - 1);
    const bits = head % 2 === 0 ? 8 : 16;
    let text = '';
    for (let at = 0; at < head >>> 1; at += 1) {
      const bit = bits * at;
      text += String.fromCharCode((this.#words.get(start + (bit >>> 5)) >>> (bit & 31)) & ((1 << bits) - 1));
    }
    return text;
  }

  #push(word: number): void {
    this.#words.set(this.#end, word);
    this.#end += 1;
  }
}

const ASCII = /^[ -~]*$/;
