import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { CHUNK_BYTES } from './files.js';

const TAR_BLOCK = 512;

/** Bytes of the file's name, its length and its type in the header of an entry. */
const FIELDS = { name: [0, 100], size: [124, 136], type: [156, 157], magic: [257, 262] } as const;

/**
 * Unpacks a tar file that PostgreSQL made of a cluster. Files and folders are for the owner alone. PostgreSQL syncs them when it starts on
 * a copy.
 *
 * @param path of the file
 * @param folder is made
 * @param progress told of the bytes that are unpacked
 * @throws Error when it is none, or has links or names that lead elsewhere
 */
export async function untar(path: string, folder: string, progress: (done: number) => void): Promise<void> {
  const tar = await open(path, 'r');
  try {
    await mkdir(folder, { mode: 0o700 });
    const header = Buffer.alloc(TAR_BLOCK);
    for (let at = 0; ; ) {
      const { bytesRead } = await tar.read(header, 0, TAR_BLOCK, at);
      if (bytesRead < TAR_BLOCK) throw new Error(`${path} ends too early`);
      // A block of zeros ends it.
      if (header.every((byte) => byte === 0)) return;
      const { name, size, isFolder } = parseHeader(header, path);
      at += TAR_BLOCK;
      const target = join(folder, name);
      if (isFolder) await mkdir(target, { recursive: true, mode: 0o700 });
      else {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await copyPart(tar, at, size, target);
      }
      at += Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
      progress(at);
    }
  } finally {
    await tar.close();
  }
}

async function copyPart(tar: FileHandle, from: number, size: number, target: string): Promise<void> {
  const file = await open(target, 'wx', 0o600);
  try {
    const piece = Buffer.alloc(Math.min(CHUNK_BYTES, size));
    for (let at = 0; at < size; ) {
      const { bytesRead } = await tar.read(piece, 0, Math.min(piece.length, size - at), from + at);
      if (bytesRead === 0) throw new Error(`${target} ends too early`);
      await file.write(piece, 0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function parseHeader(header: Buffer, path: string): { name: string; size: number; isFolder: boolean } {
  const field = ([from, to]: readonly [number, number]) => header.toString('latin1', from, to).replace(/[\0 ].*$/s, '');
  const name = normalize(field(FIELDS.name));
  const type = field(FIELDS.type);
  const size = Number.parseInt(field(FIELDS.size) || '0', 8);
  if (field(FIELDS.magic) !== 'ustar' || !['', '0', '5'].includes(type) || !Number.isSafeInteger(size))
    throw new Error(`${path} is not a copy of a database, or has links (${JSON.stringify(name)})`);
  if (name.startsWith('/') || name.split(/[\\/]/).includes('..'))
    throw new Error(`${path} names a file outside its folder: ${JSON.stringify(name)}`);
  return { name, size: type === '5' ? 0 : size, isFolder: type === '5' };
}
