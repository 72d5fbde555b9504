import { fromSeed } from '@countersign/client';
import type { Json } from '@countersign/protocol';
import { openKey, openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { KeyStore } from '../../home/key-store.js';
import { formatRecord } from '../../terminal/record-text.js';

export const signerRegister: CliCommand = {
  path: ['signer', 'register'],
  summary: 'Register a key of the key store as a signer',
  about:
    'Both sign: the key of the context vouches for the signer, and the key itself shows that it is there, so that it stands for ' +
    'this signer before any that others register (docs/interface/proofs.md).',
  arguments: [{ name: 'key', about: 'name of the key', ask: { kind: 'text', message: 'Name of the key' } }],
  options: [{ flags: '--handle <handle>', about: 'handle of the signer; the name of the key unless given' }],
  connects: true,
  examples: [{ call: 'countersign signer register ada', about: 'after: countersign key create ada' }],
  async run(invocation) {
    const name = await invocation.need('key');
    const stored = await new KeyStore(invocation.home).find(name);
    const { ledger, key } = await openLedger(invocation, true);
    const isOwn = key?.public === stored.public;
    const cosigners = isOwn ? [] : [await fromSeed((await openKey(invocation, name)).secret)];
    const data = { handle: invocation.get('handle') ?? name, format: 'ed25519-raw', public: stored.public } as const;
    const made = await ledger.signers.create(data, { cosigners });
    invocation.output.done(`Signer ${data.handle} registered.`);
    invocation.output.result(made as unknown as Json, () => formatRecord('Signer', made));
  },
};
