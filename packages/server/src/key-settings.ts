import { decodeMasterKey } from './keys/master-key.js';

/** @throws Error whose message completes a sentence that begins with the setting's name */
function readMasterKey(text: string | undefined): string | undefined {
  if (text !== undefined) decodeMasterKey(text);
  return text;
}

/** The settings of the keys of the server. */
export const keySettings = {
  masterKey: {
    name: 'MASTER_KEY',
    default: 'the file `master.key` in DATA_DIR, made at the first start',
    meaning:
      "32 bytes in base64 that seal the ledgers' private keys. Keep a copy: without it they are lost. " +
      '`MASTER_KEY_FILE` names a file that holds them.',
    isSecret: true,
    read: readMasterKey,
  },
  masterKeyNext: {
    name: 'MASTER_KEY_NEXT',
    default: 'the file `master.key.next` in DATA_DIR, where there is one and MASTER_KEY is not set',
    meaning:
      'The key that [replaces](keys.md#replace-the-master-key) the master key, in the same form. `MASTER_KEY_NEXT_FILE` names a file that holds it.',
    isSecret: true,
    read: readMasterKey,
  },
} as const;
