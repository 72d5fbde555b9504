export function takeFolder(build: string, given: { pid: number; sources?: string }): string;
export function giveSigns(folder: string): void;
export function waitForSame(build: string, given: { pid: number; sources: string }): Promise<void>;
