import { limits } from '../limits.js';

/** What a sibling sent is no message of this release. */
export class Garbled extends Error {}

/** A message between two processes: a question and its answer have the same number. */
export interface Frame {
  readonly number: number;
  readonly text: string;
}

/** Bytes of a length, and of a number; both are unsigned and begin with the greatest byte. */
const LENGTH = 4;
const NUMBER = 4;

/** A frame as it is sent: how many bytes follow, the number, and the text in UTF-8. */
export function formatFrame({ number, text }: Frame): Buffer {
  const length = NUMBER + Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(LENGTH + length);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(number, LENGTH);
  bytes.write(text, LENGTH + NUMBER);
  return bytes;
}

/** Takes frames from a stream of bytes, whose chunks end anywhere. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes without which there is no further frame. */
  #needed = LENGTH;

  /** @returns the frames that the chunk completes, in their order. @throws Garbled for one that is too long or too short */
  take(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // A long frame is put together once, and not with each of its chunks.
    if (this.#size < this.#needed) return [];
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const frames: Frame[] = [];
    let at = 0;
    this.#needed = LENGTH;
    while (bytes.length - at >= LENGTH) {
      const length = bytes.readUInt32BE(at);
      if (length < NUMBER || length > NUMBER + limits.siblings.frame) throw new Garbled(`A frame of ${length} bytes.`);
      this.#needed = LENGTH + length;
      if (bytes.length - at < this.#needed) break;
      const end = at + this.#needed;
      const start = at + LENGTH;
      frames.push({ number: bytes.readUInt32BE(start), text: bytes.toString('utf8', start + NUMBER, end) });
      at = end;
      this.#needed = LENGTH;
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#size = bytes.length - at;
    return frames;
  }
}
