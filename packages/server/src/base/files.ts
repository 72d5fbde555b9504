import { stat } from 'node:fs/promises';

/** Whether there is something at `path`. What keeps it from being looked at is thrown, never taken for absence. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
