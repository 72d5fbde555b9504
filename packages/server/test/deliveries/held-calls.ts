import type { Outbound, OutboundAnswer, OutboundCall } from '../../src/outbound/outbound.js';

/** A call that waits for the test to end it. */
export interface Held {
  readonly call: OutboundCall;
  answer(status: number): void;
  fail(error: Error): void;
}

/** Holds each call until the test ends it, or the caller gives it up. */
export class HeldCalls implements Outbound {
  held: Held[] = [];
  /** The most that were under way at a time. */
  most = 0;

  forget(): void {
    this.held = [];
    this.most = 0;
  }

  send(call: OutboundCall): Promise<OutboundAnswer> {
    return new Promise<OutboundAnswer>((resolve, reject) => {
      const giveUp = () => one.fail(new Error('given up'));
      const end = () => {
        this.held = this.held.filter((other) => other !== one);
        call.signal?.removeEventListener('abort', giveUp);
      };
      const one: Held = {
        call,
        answer(status) {
          end();
          resolve({ status, headers: {}, text: '' });
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      call.signal?.addEventListener('abort', giveUp);
      this.held.push(one);
      this.most = Math.max(this.most, this.held.length);
    });
  }

  verifyCertificate(): void {}

  async close(): Promise<void> {}
}
