/** The files that a run takes; the quick tier's unless named. Throws Error for a tier that does not exist. */
export function tierOf(name?: string): { include: string[]; exclude: string[] };
