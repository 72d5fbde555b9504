import { ExampleProcess } from '../examples/example-process.js';

/** The moments at which a mirror can be made to die. */
export const STEPS = ['received', 'acted', 'reported', 'answered'] as const;

/** The bridge between two ledgers (mirror.mjs), as a process of its own. */
export class MirrorProcess extends ExampleProcess {
  /** Starts one, and waits until it listens. */
  static async start(settings: Record<string, string>): Promise<MirrorProcess> {
    const mirror = new MirrorProcess('packages/server/test/mirrors/mirror.mjs', settings);
    await mirror.listens(/^mirroring on (\S+)$/m);
    return mirror;
  }
}
