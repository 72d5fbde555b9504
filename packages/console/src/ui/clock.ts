/** Milliseconds since 1970, as this machine has them. */
export function now(): number {
  // biome-ignore lint/plugin: the one place that reads the clock
  return Date.now();
}
