import { portable, type Suite } from '@countersign/protocol';
import { Failure, localFailure } from '../../terminal/failure.js';

type Archive = typeof import('@countersign/server/archive');

type Admin = typeof import('@countersign/server/admin');

/** The part of the server that reads and writes its database, where the server is installed. */
export function loadArchive(): Promise<Archive> {
  return loadPart(() => import('@countersign/server/archive'));
}

/** The part of the server by which its operator sees and governs tenants, where the server is installed. */
export function loadAdmin(): Promise<Admin> {
  return loadPart(() => import('@countersign/server/admin'));
}

async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw localFailure(
      'The server is not installed here.',
      'run this at the host of the server, or npm install @countersign/server',
    );
  }
}

/** What the parts of the server failed by: the database does not answer, or something of this machine is wrong. */
export function failureOfServer({ name, message }: Error): Failure {
  return name === 'DatabaseUnreachable' ? new Failure('unreachable', message) : localFailure(message);
}

/** Native cryptography, where the server is installed; it is some fifty times as fast. */
export async function loadSuite(): Promise<{ suite: Suite; isNative: boolean }> {
  try {
    const { native } = await import('@countersign/server/suite');
    return { suite: native, isNative: true };
  } catch {
    return { suite: portable, isNative: false };
  }
}
