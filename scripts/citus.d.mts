export function findCitus(): string | undefined;
export function runAsPostgres(file: string, args: readonly string[]): string;
export function startCluster(
  bin: string,
  folder: string,
  ports: readonly number[],
  settings?: readonly string[],
): Promise<string>;
export const PLAIN: number;
export function startPlain(bin: string, folder: string, port: number, settings?: readonly string[]): Promise<string>;
export function makeNode(bin: string, folder: string, node: number, port: number, settings?: readonly string[]): void;
export function startNode(bin: string, folder: string, node: number): void;
export function stopNode(bin: string, folder: string, node: number): void;
export function stopCluster(bin: string, folder: string): void;
