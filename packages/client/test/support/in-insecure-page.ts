import { portable } from '@countersign/protocol';
import { connect, fromSeed, newSeed, systemKeyOf } from '../../src/index.js';

declare const isSecureContext: boolean;

/** What a page without TLS does: it has no WebCrypto, and gives the suite of the protocol. */
export async function run({ server }: { server: string }) {
  const missing = await fromSeed(newSeed()).catch(String);
  const signer = await fromSeed(newSeed(), portable);
  const handle = `insecure-${Date.now()}`;
  const access = [{ action: 'any', record: 'any' }] as never;
  const made = await connect({ server, signer, suite: portable }).ledgers.create({ handle, access });
  const ledger = connect({ server, ledger: handle, signer, suite: portable, systemKey: systemKeyOf(made) });
  await ledger.wallets.create({ handle: 'shop' });
  return { missing, handle: (await ledger.wallets.get('shop')).data.handle, isSecure: isSecureContext };
}
