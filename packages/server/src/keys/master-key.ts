import { createHmac, randomBytes } from 'node:crypto';
import { link, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileExists, openDataDir, syncFolder, writeOnce } from '@countersign/embedded-postgres/data-dir';

const bytes = 32;

export interface MasterKeySource {
  /** The setting MASTER_KEY, when given: 32 bytes in base64. */
  readonly masterKey?: string;
  /** The setting MASTER_KEY_NEXT, when given: the same. */
  readonly masterKeyNext?: string;
  /** The folder with the key files. */
  readonly dataDir: string;
}

/**
 * The key that the private keys of ledgers are sealed under: MASTER_KEY, or else `DATA_DIR/master.key`, readable by its
 * owner only.
 *
 * @returns undefined when both are absent
 * @throws Error, in words for the operator, when the key is malformed (it is 32 bytes in base64), or other users may
 *   read its file
 */
export async function loadMasterKey(source: MasterKeySource): Promise<Buffer | undefined> {
  if (source.masterKey !== undefined) return decodeKeyFrom('MASTER_KEY', source.masterKey);
  return loadKeyFile(await keyFile(source));
}

/**
 * The master key, and the next one where there is one: MASTER_KEY_NEXT, or `DATA_DIR/master.key.next` beside the other file.
 *
 * @returns none when all are absent
 * @throws what `loadMasterKey` throws
 */
export async function loadMasterKeys(source: MasterKeySource): Promise<Buffer[]> {
  const next = async () => {
    if (source.masterKeyNext !== undefined) return decodeKeyFrom('MASTER_KEY_NEXT', source.masterKeyNext);
    return source.masterKey === undefined ? loadKeyFile(nextFile(await keyFile(source))) : undefined;
  };
  return [await loadMasterKey(source), await next()].filter((key) => key !== undefined);
}

async function loadKeyFile(path: string): Promise<Buffer | undefined> {
  if (!(await fileExists(path))) return undefined;
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${path} can be read or changed by other users: run chmod 600 on it`);
  }
  return decodeKeyFrom(path, (await readFile(path, 'utf8')).trimEnd());
}

/** Where the key comes from, in words for the operator. */
export function describeKeySource({ masterKey, dataDir }: MasterKeySource): string {
  return masterKey === undefined ? join(dataDir, 'master.key') : 'MASTER_KEY or its file';
}

/** Makes the key file of a new database. Of several servers that do so at once, all get the same key. */
export async function makeMasterKey(source: MasterKeySource): Promise<Buffer> {
  await writeOnce(await keyFile(source), `${randomBytes(bytes).toString('base64')}\n`, 0o600);
  const key = await loadMasterKey(source);
  if (key === undefined) throw new Error(`DATA_DIR ${source.dataDir} does not keep what is written to it`);
  return key;
}

/** The error for the operator of a database whose key is missing. A new key would open none of the sealed values. */
export function masterKeyError({ dataDir }: MasterKeySource): Error {
  return new Error(
    `${join(dataDir, 'master.key')} is missing, and the database was made with one: ` +
      'put a copy of that file back, or set MASTER_KEY to what is in it',
  );
}

/** Makes the file of the next key, unless it is there. @returns the file */
export async function makeNextKey(source: MasterKeySource): Promise<string> {
  const path = nextFile(await keyFile(source));
  await writeOnce(path, `${randomBytes(bytes).toString('base64')}\n`, 0o600);
  return path;
}

/** Where the keys are once a rotation has ended. */
export interface KeyFiles {
  readonly present: string;
  readonly former: string;
}

/**
 * Puts the file of the next key in the place of the former one, whose file stays under another name: backups from before need it.
 *
 * @param number of the former key
 * @param check that of the next key (`keyCheck`)
 * @returns undefined where a key is set otherwise, and where there is no file to move
 * @throws Error, in words for the operator, when a file has another key than it should: all are left as they are
 */
export async function replaceKeyFile(
  source: MasterKeySource,
  number: number,
  check: string,
): Promise<KeyFiles | undefined> {
  if (!isInFile(source)) return undefined;
  const present = await keyFile(source);
  const next = await loadKeyFile(nextFile(present));
  if (next === undefined) return undefined;
  if (keyCheck(next) !== check)
    throw new Error(`${nextFile(present)} is not the key that all is sealed under now: put that in ${present}`);
  const before = await loadKeyFile(present);
  const former = `${present}.${number}`;
  const isMoved = before !== undefined && !before.equals(next);
  // In this order, a kill in between leaves both keys in files that are found.
  if (isMoved) await keepFormer(present, former, before);
  await rename(nextFile(present), present);
  await syncFolder(dirname(present));
  return isMoved ? { present, former } : undefined;
}

async function keepFormer(present: string, former: string, key: Buffer): Promise<void> {
  try {
    await link(present, former);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if ((await loadKeyFile(former))?.equals(key)) return;
    throw new Error(`${former} is another key than that in ${present}: move it elsewhere, and run this again`);
  }
}

/** Whether the keys are in files of the data folder, rather than in settings. */
export function isInFile({ masterKey, masterKeyNext }: MasterKeySource): boolean {
  return masterKey === undefined && masterKeyNext === undefined;
}

function nextFile(path: string): string {
  return `${path}.next`;
}

async function keyFile({ dataDir }: MasterKeySource): Promise<string> {
  return join(await openDataDir(dataDir, 'DATA_DIR'), 'master.key');
}

/**
 * Decodes a master key.
 *
 * @param text 32 bytes in base64
 * @throws Error for anything else; its message completes a sentence that begins with the key's source, and leaves the
 *   key out
 */
export function decodeMasterKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  // Decoding skips foreign characters; encoding again detects them.
  if (key.length !== bytes || key.toString('base64') !== text) {
    throw new Error(`must be ${bytes} bytes in base64, such as \`openssl rand -base64 ${bytes}\` prints`);
  }
  return key;
}

/**
 * A value that tells master keys apart and reveals nothing of them. The database keeps it from the first start on, so
 * that another key, which would open none of the sealed values, is refused.
 *
 * @param masterKey 32 bytes
 * @returns 64 hexadecimal digits
 */
export function keyCheck(masterKey: Buffer): string {
  return createHmac('sha256', masterKey).update('countersign:master-key:check:1').digest('hex');
}

function decodeKeyFrom(where: string, text: string): Buffer {
  try {
    return decodeMasterKey(text);
  } catch (error) {
    throw new Error(`${where} ${(error as Error).message}`);
  }
}
