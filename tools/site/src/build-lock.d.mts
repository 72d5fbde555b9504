export function takeFolder(build: string, pid: number): string;
export function takeLock(build: string, sources: string, pid: number): Promise<() => void>;
