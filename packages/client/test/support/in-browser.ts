import {
  AnswerError,
  connect,
  fromCryptoKey,
  fromSeed,
  isRefusal,
  type KeyPair,
  newSeed,
  systemKeyOf,
} from '../../src/index.js';

declare const isSecureContext: boolean;
declare const location: { readonly origin: string };

/** What the test in the browser does: all that a page needs. */
export async function run({ server, liar }: { server: string; liar: string }) {
  const signer = await fromCryptoKey(
    (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as KeyPair,
  );
  const handle = `browser-${Date.now()}`;
  const access = [
    { action: 'any', record: 'any', signer: { public: signer.public } },
    { action: 'any', record: 'any', bearer: { $signer: { public: signer.public } } },
  ];
  const systemKey = systemKeyOf(await connect({ server, signer }).ledgers.create({ handle, access: access as never }));
  const ledger = connect({ server, ledger: handle, signer, systemKey });
  const made = await ledger.wallets.create({ handle: 'shop', custom: { tier: 'é' } });
  await ledger.wallets.update('shop', (data) => ({ ...data, custom: { tier: 'gold' } }));
  await ledger.wallets.sign('shop', { status: 'active' });
  const handles: string[] = [];
  for await (const { data } of ledger.wallets.list({ filter: { 'meta.status': 'active' } })) handles.push(data.handle);
  const versions = await ledger.wallets.history('shop').all();
  const refused = await ledger.wallets.get('ghost').catch((error: unknown) => isRefusal(error, 'record.not-found'));
  const lie = await connect({ server: liar, ledger: handle, signer, systemKey, attempts: 1 })
    .wallets.get('shop')
    .catch((error: unknown) => (error instanceof AnswerError ? error.fault : String(error)));
  await ledger.wallets.drop('shop', { confirm: true });
  const seeded = await fromSeed(newSeed());
  return {
    ...{ luid: made.luid, handles, versions: versions.length, refused, lie },
    ...{ isSecure: isSecureContext, key: seeded.public.length, origin: location.origin },
  };
}
