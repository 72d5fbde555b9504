export function findCitus(): string | undefined;
export function startCluster(
  bin: string,
  folder: string,
  ports: readonly number[],
  settings?: readonly string[],
): Promise<string>;
export function startNode(bin: string, folder: string, node: number): void;
export function stopNode(bin: string, folder: string, node: number): void;
export function stopCluster(bin: string, folder: string): void;
