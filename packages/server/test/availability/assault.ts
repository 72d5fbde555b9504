import { setTimeout as pause } from 'node:timers/promises';

/** Sends a request again and again, so many at a time, for so many milliseconds; gives how many were answered. */
export async function assault(request: () => Promise<unknown>, at: number, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await Promise.race([request(), pause(Math.max(1, until - performance.now() + 50))]).catch(() => pause(20));
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: at }, lane));
  return answered;
}
