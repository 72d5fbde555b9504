import { freeBytes } from '@countersign/embedded-postgres/data-dir';

/** Too little is free on the disk of our own PostgreSQL for a write: the request is answered 503. */
export class DiskFull extends Error {
  constructor() {
    super('There is no room left on the disk of the database.');
  }
}

/** Watches the free space of the disk that the database writes to. */
export interface DiskSpace {
  /** @throws DiskFull */
  assert(): void;
  close(): void;
}

/** For a database that is not our own: its disk is not watched. */
export const UNWATCHED: DiskSpace = { assert() {}, close() {} };

/** Milliseconds between two looks at the disk. */
const LOOK = 500;

/**
 * Watches the disk of our own PostgreSQL. PostgreSQL ends when it cannot write its log, and reads end with it. So writes are
 * refused while some space is still free.
 *
 * @param folder on that disk
 * @param least bytes below which nothing more is written
 * @param changed told when room runs out, and when there is some again; not of every write that is refused
 */
export async function watchDiskSpace(
  folder: string,
  least: number,
  changed: (enough: boolean) => void,
): Promise<DiskSpace> {
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
      if (!enough) throw new DiskFull();
    },
    close: () => clearInterval(looking),
  };
}
