import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isRefusal, type Ledger, type Schemas } from '@countersign/client';
import { encodeBase64, portable } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { Failure } from '../../terminal/failure.js';

export const oauthSetup: CliCommand = {
  path: ['oauth', 'setup'],
  summary: 'Give a signer client credentials, and the ledger what it needs to take them',
  about:
    'Makes what is missing: the provider, in whose name the token endpoint signs, with an RSA key whose private part only the ' +
    'ledger keeps; the authentication policy; the client factor. The client secret is shown once.',
  arguments: [
    {
      name: 'client',
      about: 'handle of the signer that gets the credentials',
      ask: { kind: 'text', message: 'Handle of the signer' },
    },
  ],
  options: [
    { flags: '--provider <handle>', about: 'handle of the provider', default: 'oauth' },
    { flags: '--factor <handle>', about: 'handle of the new factor; <client>-<random> unless given' },
  ],
  connects: true,
  examples: [{ call: 'countersign oauth setup ada', about: 'then: countersign oauth token --client-id <id>' }],
  async run(invocation) {
    const client = await invocation.need('client');
    const provider = await invocation.need('provider');
    const { ledger } = await openLedger(invocation, true);
    await ledger.signers.get(client);
    const { output } = invocation;
    if (await makeProvider(ledger, provider)) output.done(`Provider ${provider} made.`);
    if (await makePolicy(ledger, provider)) output.done(`Authentication policy for ${provider} made.`);
    const handle = invocation.get('factor') ?? `${client.replace(/[:@]/g, '.')}-${randomBytes(4).toString('hex')}`;
    const factors = ledger.signers.factors(client);
    const made = await factors.create({ handle, schema: 'oauth-client-credentials', signer: client });
    const read = await factors.get(made.luid, { include: 'meta.secret' });
    const secret = (read.meta as { secret?: { clientSecret?: string } }).secret?.clientSecret;
    const id = (read.data as { clientId?: string }).clientId;
    if (secret === undefined || id === undefined) throw new Failure('refused', 'The ledger gave no client secret.');
    output.done(`Factor ${handle} made for ${client}. The secret is shown once.`);
    output.result({ clientId: id, clientSecret: secret, factor: handle, signer: client }, () =>
      [`export COUNTERSIGN_CLIENT_ID=${id}`, `export COUNTERSIGN_CLIENT_SECRET=${secret}`].join('\n'),
    );
  },
};

/** @returns whether something had to be made */
async function makeProvider(ledger: Ledger, provider: string): Promise<boolean> {
  if (!(await doesExist(ledger.signers.get(provider)))) {
    // Nobody signs with it: the provider signs by its RSA key, which the ledger keeps.
    const key = encodeBase64(portable.publicKey(randomBytes(32)));
    await ledger.signers.create({ handle: provider, format: 'ed25519-raw', public: key });
  }
  const factors = ledger.signers.factors(provider);
  for await (const { data } of factors.list()) {
    const { format, secret } = data as { format?: string; secret?: string };
    if (format === 'rsa-der' && secret) return false;
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const fingerprint = createHash('sha256').update(der).digest('hex').slice(0, 12);
  const data = {
    handle: `${provider.replace(/[:@]/g, '.')}-${fingerprint}`,
    signer: provider,
    schema: 'key-pair',
    format: 'rsa-der',
    public: der.toString('base64'),
    secret: '{{ secret.private }}',
  } as Schemas['signer-factor']['data'];
  await factors.create(data, { secret: { private: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string } });
  return true;
}

/** @returns whether the policy had to be made */
async function makePolicy(ledger: Ledger, provider: string): Promise<boolean> {
  for await (const { data, meta } of ledger.policies.list({ filter: { 'data.schema': 'authentication' } })) {
    const values = (data as { values?: { signer?: { handle?: string } }[] }).values ?? [];
    if (meta.status !== 'inactive' && values.some(({ signer }) => signer?.handle === provider)) return false;
  }
  const handle = `${provider.replace(/[:@]/g, '.')}-oauth`;
  const values = [{ schema: 'oauth2', signer: { handle: provider } }];
  const data = { handle, schema: 'authentication', record: 'any', values } as Schemas['policy']['data'];
  await ledger.policies.create(data);
  return true;
}

async function doesExist(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    if (isRefusal(error, 'record.not-found')) return false;
    throw error;
  }
}
