import type { CliCommand } from '../../description/command.js';
import { PASSWORD } from '../../description/definition.js';
import { KeyStore } from '../../home/key-store.js';

/** Asked for when a key gets its password. */
export const NEW_PASSWORD = { message: 'Choose a password for the key', repeat: true };

export const keyCreate: CliCommand = {
  path: ['key', 'create'],
  summary: 'Make a key pair',
  about:
    'The private key stays in the key store, encrypted under a password. The public key is printed: rules and signers name it.',
  arguments: [{ name: 'name', about: 'what you call the key', ask: { kind: 'text', message: 'Name of the key' } }],
  options: PASSWORD,
  examples: [{ call: 'countersign key create ada', about: 'asks for a password, twice' }],
  async run(invocation) {
    const store = new KeyStore(invocation.home, invocation.surroundings.keyWork);
    const name = await invocation.need('name');
    await store.assertFree(name);
    const password = await invocation.password(NEW_PASSWORD);
    const made = await store.add(name, KeyStore.generate(), password);
    invocation.output.done(`Key ${name} made.`);
    invocation.output.result({ ...made }, () => made.public);
  },
};
