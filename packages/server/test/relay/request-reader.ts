const END = '\r\n\r\n';

/** Takes requests of HTTP/1.1, with bodies of a length that is told, from a stream of bytes, whose chunks end anywhere. */
export class RequestReader {
  #bytes = Buffer.alloc(0);

  /** @returns the requests that the chunk completes, as they came */
  take(chunk: Buffer): Buffer[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const requests: Buffer[] = [];
    for (let end = this.#end(); end <= this.#bytes.length; end = this.#end()) {
      requests.push(this.#bytes.subarray(0, end));
      this.#bytes = this.#bytes.subarray(end);
    }
    return requests;
  }

  /** Where the first request ends, which may not have come yet. */
  #end(): number {
    const head = this.#bytes.indexOf(END);
    if (head < 0) return Number.POSITIVE_INFINITY;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#bytes.toString('latin1', 0, head))?.[1];
    return head + END.length + Number(length ?? 0);
  }
}
