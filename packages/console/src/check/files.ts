/** What dropped files are. */
export interface GivenFiles {
  readonly exported: File | undefined;
  /** A version of a record as it was served. */
  readonly record: string | undefined;
  /** A tlog-proof. */
  readonly proof: string | undefined;
  /** Names of files that are none of these. */
  readonly unknown: readonly string[];
}

/** Bytes of a record or proof that are read. */
const MOST_TEXT = 8 * 1024 * 1024;

/** Bytes that tell what a file is. */
const HEAD = 4096;

/** Sorts files by what they begin with. */
export async function sortFiles(files: readonly File[]): Promise<GivenFiles> {
  let found: GivenFiles = { exported: undefined, record: undefined, proof: undefined, unknown: [] };
  for (const file of files) {
    const head = await file.slice(0, HEAD).text();
    if (head.startsWith('c2sp.org/tlog-proof@')) found = { ...found, proof: await file.slice(0, MOST_TEXT).text() };
    else if (/^\{[^\n]*"line":"header"/.test(head)) found = { ...found, exported: file };
    else if (/^\s*\{/.test(head))
      found = { ...found, record: (await file.slice(0, MOST_TEXT).text()).replace(/\n$/, '') };
    else found = { ...found, unknown: [...found.unknown, file.name] };
  }
  return found;
}

/** The lines of a file, which is read piece by piece. */
export async function* linesOf(file: File): AsyncGenerator<string> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (done) break;
  }
  if (rest !== '') yield rest;
}
