import type { Runtime } from '../base/clock.js';

/** A unique name of this process, for leases. */
export function nameProcess(worker: string, { random }: Runtime): string {
  return [worker, process.pid, Buffer.from(random(8)).toString('hex')].join('/');
}
