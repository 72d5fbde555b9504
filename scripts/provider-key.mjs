import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { encodeBase64, hash, portable, readJson, signProof } from '@countersign/protocol';

const USAGE = `Makes a signer a provider: the ledger's token endpoint then signs access tokens in its name.

  npm run provider-key -- --ledger <handle> --signer <handle> --key <file> [--url <address>] [--ttl <seconds>] [--target <schema>]

  --ledger  the ledger
  --signer  the provider; registered with a new key that nobody keeps, if there is no such signer
  --key     a file with the 32-byte Ed25519 seed, in hex or base64, of a key that may make signers, factors and policies
  --url     of the server, with /v2; http://127.0.0.1:3000/v2 unless given
  --ttl     seconds a token lives; 3600 unless given
  --target  schema of the signers it vouches for; all unless given

Run it again for a new key: it signs from then on. What the one before signed stays valid; drop its factor to end that.`;

/** Milliseconds to wait for an answer. */
const PATIENCE = 15_000;

/** What is wrong with the call or the answer, in words for whoever ran the command. */
class Problem extends Error {}

/** The options are wrong: its exit code is 2. */
class WrongCall extends Problem {}

function options() {
  const named = Object.fromEntries(
    ['url', 'ledger', 'signer', 'key', 'ttl', 'target'].map((name) => [name, { type: 'string' }]),
  );
  let values;
  try {
    ({ values } = parseArgs({ options: { ...named, help: { type: 'boolean' } } }));
  } catch (error) {
    throw new WrongCall(`${error.message}: see --help`);
  }
  if (values.help) return undefined;
  for (const name of ['ledger', 'signer', 'key']) {
    if (!values[name]) throw new WrongCall(`--${name} is missing: see --help`);
  }
  const { url = 'http://127.0.0.1:3000/v2', ttl } = values;
  if (!URL.canParse(url) || !/^https?:\/\//.test(url)) throw new WrongCall(`--url is not an address: ${url}`);
  if (ttl !== undefined && !/^[1-9]\d{0,8}$/.test(ttl)) throw new WrongCall('--ttl must be a number of seconds');
  return { ...values, url: url.replace(/\/+$/, '') };
}

async function keyIn(file) {
  const text = (await readFile(file, 'utf8')).trim();
  const secret = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (secret.length !== 32) throw new Problem(`${file} does not hold 32 bytes in hex or base64`);
  return { secret, public: encodeBase64(portable.publicKey(secret)) };
}

/** Speaks to the ledger with one key: it signs what is written, and its token goes with what is read. */
class Ledger {
  constructor(url, handle, key) {
    Object.assign(this, { url, handle, key });
  }

  /** The record or list at `path`; undefined when there is none. */
  async read(path) {
    const { status, body } = await this.#call('GET', path);
    if (status === 404 && body?.data?.reason === 'record.not-found') return undefined;
    return this.#expected(`GET ${path}`, 200, status, body);
  }

  create(record, path, data, secret = undefined) {
    const custom = { record, status: 'created' };
    return this.#write('POST', path, 201, data, { custom, meta: secret && { secret } });
  }

  /** Replaces the data of a record by the same without one member. */
  update(record, path, { data, hash: parent, luid }, member) {
    const { [member]: _, ...kept } = data;
    return this.#write('PUT', path, 200, { ...kept, parent }, { custom: { record }, luid });
  }

  async #write(method, path, expected, data, { custom, meta, ...more }) {
    const signedHash = hash(data);
    const said = { moment: new Date().toISOString(), ledger: this.handle, ...custom };
    const proofs = [signProof({ hash: signedHash, custom: said, ...this.key })];
    const sent = { hash: signedHash, data, meta: { proofs, ...meta }, ...more };
    const { status, body } = await this.#call(method, path, sent);
    return this.#expected(`${method} ${path}`, expected, status, body);
  }

  #expected(what, expected, status, body) {
    if (status === expected) return body;
    throw new Problem(`${what} was answered ${status}: ${body?.data?.reason ?? ''} ${body?.data?.detail ?? ''}`);
  }

  async #call(method, path, body = undefined) {
    try {
      const response = await fetch(this.url + path, {
        method,
        headers: {
          'x-ledger': this.handle,
          authorization: `Bearer ${this.#token()}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(PATIENCE),
      });
      return { status: response.status, body: readJson((await response.text()) || 'null') };
    } catch (error) {
      throw new Problem(`No ledger server answers at ${this.url}: ${error.cause?.code ?? error.message}`);
    }
  }

  #token() {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: 'cli', sub: `signer:${this.key.public}`, aud: this.handle, iat: now, exp: now + 60 };
    const encoded = (value) => Buffer.from(value).toString('base64url');
    const signed = [{ alg: 'EdDSA', kid: this.key.public }, claims]
      .map((part) => encoded(JSON.stringify(part)))
      .join('.');
    return `${signed}.${encoded(portable.sign(Buffer.from(signed), this.key.secret))}`;
  }
}

/** @returns whether the signer was registered now */
async function register(ledger, handle) {
  if (await ledger.read(`/signers/${encodeURIComponent(handle)}`)) return false;
  const key = encodeBase64(portable.publicKey(randomBytes(32)));
  await ledger.create('signer', '/signers', { handle, format: 'ed25519-raw', public: key });
  return true;
}

/** @returns the handle of a new factor, which the key's own fingerprint makes unique */
async function makeKey(ledger, signer) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const handle = `${signer.replace(/[:@]/g, '.')}-${createHash('sha256').update(der).digest('hex').slice(0, 12)}`;
  const secret = { private: privateKey.export({ format: 'pem', type: 'pkcs8' }) };
  const data = {
    handle,
    signer,
    schema: 'key-pair',
    format: 'rsa-der',
    public: der.toString('base64'),
    secret: '{{ secret.private }}',
  };
  await ledger.create('signer-factor', `/signers/${encodeURIComponent(signer)}/factors`, data, secret);
  return handle;
}

/**
 * Takes the private keys of the signer's other factors away from the ledger.
 *
 * @returns the handles of those that had one
 */
async function retire(ledger, signer, current) {
  const path = `/signers/${encodeURIComponent(signer)}/factors`;
  const { data: factors } = await ledger.read(`${path}?data.schema=key-pair&page.limit=1000`);
  const signing = factors.filter(({ data }) => data.format === 'rsa-der' && data.secret && data.handle !== current);
  for (const factor of signing) {
    await ledger.update('signer-factor', `${path}/${encodeURIComponent(factor.data.handle)}`, factor, 'secret');
  }
  return signing.map(({ data }) => data.handle);
}

/** Finds the policy that names the provider, or makes one. */
async function enable(ledger, { signer, ttl, target }) {
  const { data: policies } = await ledger.read('/policies?data.schema=authentication&page.limit=1000');
  const names = ({ data, meta }) =>
    meta.status !== 'inactive' && data.values.some((value) => value.signer?.handle === signer);
  const found = policies.find(names);
  if (found) return { handle: found.data.handle, made: false };
  const handle = `${signer.replace(/[:@]/g, '.')}-oauth`;
  const value = {
    schema: 'oauth2',
    signer: { handle: signer },
    ...(target ? { target: { schema: target } } : {}),
    ...(ttl ? { config: { 'jwt.ttl': Number(ttl) } } : {}),
  };
  await ledger.create('policy', '/policies', { handle, schema: 'authentication', record: 'any', values: [value] });
  return { handle, made: true };
}

async function main() {
  const asked = options();
  if (!asked) return console.log(USAGE);
  const { url, ledger: handle, signer } = asked;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    console.warn('Warning: the private key goes to the ledger over http, which others may read.');
  }
  const ledger = new Ledger(url, handle, await keyIn(asked.key));
  const registered = await register(ledger, signer);
  console.log(registered ? `Registered signer ${signer}.` : `Signer ${signer} is there already.`);
  const factor = await makeKey(ledger, signer);
  console.log(`Made an RSA key of 2048 bits, factor ${factor}. Only the ledger has its private key.`);
  for (const old of await retire(ledger, signer, factor)) {
    console.log(`Factor ${old} signs no more. Tokens it signed are valid until they expire, or until it is dropped.`);
  }
  const policy = await enable(ledger, asked);
  console.log(
    policy.made
      ? `Made authentication policy ${policy.handle}.`
      : `Authentication policy ${policy.handle} names the signer already: it was left as it is.`,
  );
  console.log(
    `POST ${url}/oauth/token now signs tokens as ${signer}, for clients with an oauth-client-credentials factor.`,
  );
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Problem) && error?.code === undefined) throw error;
  console.error(error.message);
  process.exitCode = error instanceof WrongCall ? 2 : 1;
}
