import type { CliCommand } from '../../description/command.js';
import { PASSWORD } from '../../description/definition.js';
import { isEncrypted, KeyStore, parsePrivateKey } from '../../home/key-store.js';
import { readText } from '../../terminal/input.js';
import { NEW_PASSWORD } from './create.js';

export const keyImport: CliCommand = {
  path: ['key', 'import'],
  summary: 'Take a private key into the key store',
  about:
    'Reads PKCS#8 in PEM, encrypted or not, a JWK, or the 32 bytes of the seed in hex or base64. The password is the one ' +
    'under which the store keeps the key; that of an encrypted file is asked for, or stands in COUNTERSIGN_SOURCE_PASSWORD.',
  arguments: [{ name: 'name', about: 'what you call the key', ask: { kind: 'text', message: 'Name of the key' } }],
  options: [
    {
      flags: '--file <path>',
      about: 'file with the private key, or - for standard input',
      ask: { kind: 'text', message: 'File with the private key' },
    },
    {
      flags: '--source-password <password>',
      env: 'COUNTERSIGN_SOURCE_PASSWORD',
      about: 'password of the file; other users can see flags, so prefer the variable',
      ask: { kind: 'password', message: 'Password of the file' },
    },
    ...PASSWORD,
  ],
  examples: [{ call: 'countersign key import ada --file ada.pem', about: 'a key that openssl made' }],
  async run(invocation) {
    const store = new KeyStore(invocation.home, invocation.surroundings.keyWork);
    const name = await invocation.need('name');
    await store.assertFree(name);
    const file = await invocation.need('file');
    const text = file === '-' ? await invocation.input() : await readText(file);
    const key = parsePrivateKey(text, isEncrypted(text) ? await invocation.need('source-password') : undefined);
    const taken = await store.add(name, key, await invocation.password(NEW_PASSWORD));
    invocation.output.done(`Key ${name} taken.`);
    invocation.output.result({ ...taken }, () => taken.public);
  },
};
