import type { CliCommand } from '../../description/command.js';
import { PASSWORD } from '../../description/definition.js';
import { KeyStore } from '../../home/key-store.js';

const KEY_FORMATS = ['pem', 'jwk', 'raw'] as const;

export const keyExport: CliCommand = {
  path: ['key', 'export'],
  summary: 'Write a key to standard output',
  about:
    'Without --secret it is the encrypted file, which `key import` opens with the password of the key; it takes more memory ' +
    'than OpenSSL grants. With --secret it is the private key in the clear, after a confirmation, which OpenSSL reads.',
  arguments: [{ name: 'name', about: 'the key', ask: { kind: 'text', message: 'Name of the key' } }],
  options: [
    { flags: '--public', about: 'write the public key in base64 instead' },
    { flags: '--secret', about: 'write the private key in the clear' },
    { flags: '--format <format>', about: 'of the private key in the clear', choices: KEY_FORMATS, default: 'pem' },
    ...PASSWORD,
  ],
  examples: [{ call: 'countersign key export ada > ada.pem', about: 'a copy to keep elsewhere, still encrypted' }],
  async run(invocation) {
    const store = new KeyStore(invocation.home, invocation.surroundings.keyWork);
    const name = await invocation.need('name');
    const { public: publicKey } = await store.find(name);
    const { output } = invocation;
    if (invocation.is('public')) {
      output.result({ name, public: publicKey }, () => publicKey);
      return;
    }
    if (!invocation.is('secret')) {
      output.raw(await store.export(name));
      return;
    }
    await invocation.confirm(`Write the private key of ${name} in the clear?`);
    const message = `Password of the key ${name}`;
    const { key, pair } = await store.open(name, (check) => invocation.password({ message, check }));
    switch (invocation.get('format')) {
      case 'jwk':
        output.raw(`${JSON.stringify(key.export({ format: 'jwk' }))}\n`);
        return;
      case 'raw':
        output.raw(`${Buffer.from(pair.secret).toString('base64')}\n`);
        return;
      default:
        output.raw(key.export({ format: 'pem', type: 'pkcs8' }));
    }
  },
};
