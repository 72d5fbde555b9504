import type { FileHandle } from 'node:fs/promises';

/**
 * Writes bytes to a file. The system may take a part of them only, such as when the disk is full: the rest is written, or
 * refused with the reason.
 *
 * @returns where they end
 */
export async function writeAll(file: Pick<FileHandle, 'write'>, bytes: Buffer, at: number): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
  return at + done;
}
