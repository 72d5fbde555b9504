export class Problem extends Error {}
export function parseCall(given: readonly string[]): {
  readonly release: string;
  readonly command: string;
  readonly args: readonly string[];
};
export function packageFor(platform: string, arch: string): string;
export function newest(versions: readonly string[]): string | undefined;
export function ensureRelease(release: string): string;
export function environmentWith(bin: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
