/**
 * Milliseconds of processor time that `run` takes of this process, whether or not it throws. Unlike the time that passes
 * it does not depend on what else the machine is doing; bounds on it still leave slow machines room, and are for what
 * takes minutes when it goes wrong.
 */
export function effort(run: () => void): number {
  const before = process.cpuUsage();
  try {
    run();
  } catch {
    // Only the time counts here.
  }
  return since(before);
}

/** The same, of what is awaited: a server in this process included, its database not. */
export async function effortOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return since(before);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
