import { statfs } from 'node:fs/promises';

/** The disk has no room for a write. */
export class NoRoom extends Error {
  constructor() {
    super('There is no room left on the disk of the database.');
  }
}

/** What is left on the disk that the database writes to. */
export interface Room {
  /** @throws NoRoom */
  assert(): void;
  close(): void;
}

/** Of a database whose disk is somebody else's affair. */
export const endless: Room = { assert() {}, close() {} };

/** Milliseconds between two looks at the disk. */
const LOOK = 500;

/**
 * Watches the disk of our own PostgreSQL. Without room for its log it ends, reads and all; so writes are refused while
 * there still is some.
 *
 * @param folder on that disk
 * @param least bytes below which nothing more is written
 * @param changed told when room runs out, and when there is some again; not of every write that is refused
 */
export async function watchRoom(folder: string, least: number, changed: (enough: boolean) => void): Promise<Room> {
  let enough = true;
  const look = async () => {
    const is = (await freeBytes(folder)) >= least;
    if (is !== enough) changed(is);
    enough = is;
  };
  await look();
  const looking = setInterval(() => void look(), LOOK).unref();
  return {
    assert() {
      if (!enough) throw new NoRoom();
    },
    close: () => clearInterval(looking),
  };
}

/** Bytes that an ordinary user may still write in a folder; all there are where the system does not tell. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
  return bavail * bsize;
}
