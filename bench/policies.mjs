import { native } from '../packages/server/dist/auth/native-suite.js';

/** Access policies; how many of them, the last ones, concern wallets; and circles. */
const POLICIES = 50;
const ABOUT_WALLETS = 10;
const CIRCLES = 20;

/** What the other policies are about. */
const OTHERS = ['symbol', 'intent', 'bridge', 'schema', 'domain', 'effect', 'signer', 'anchor', 'report'];

/** Seconds a token lives. */
const LIFE = 3_600;

/**
 * Makes a ledger on which policies decide. Its caller is in one circle, the last; a policy lets this circle through the
 * gate, and the last one allows it to create wallets. The policies between are for other circles.
 *
 * @param founder of the ledger, which is not made yet
 * @param key of the caller
 */
export async function foundPolicies(founder, key) {
  await founder.found();
  await founder.create('/signers', { handle: 'caller', format: 'ed25519-raw', public: key.public });
  for (let number = 0; number < CIRCLES; number += 1) {
    await founder.create('/circles', { handle: circle(number) });
  }
  const own = circle(CIRCLES - 1);
  await founder.create(`/circles/${own}/signers`, { circle: own, signer: 'caller' });
  // Handles in order, so that the last policy is the last by whatever order they are looked at.
  for (let number = 0; number < POLICIES; number += 1) {
    const handle = `policy-${String(number).padStart(3, '0')}`;
    await founder.createActive('/policies', { handle, schema: 'access', ...policy(number, own) });
  }
  await founder.configure({ 'access.strategy': 'policy-based' });
}

/** @param own the caller's circle */
function policy(number, own) {
  const first = POLICIES - ABOUT_WALLETS;
  if (number === first - 1) return { record: 'ledger', values: [grant('access', own)] };
  if (number === POLICIES - 1) return { record: 'wallet', values: [grant('create', own)] };
  const record = number < first ? OTHERS[number % OTHERS.length] : 'wallet';
  return { record, values: [grant({ $in: ['create', 'update'] }, circle(number % (CIRCLES - 1)))] };
}

function grant(action, $circle) {
  return { action, bearer: { $signer: { $circle } } };
}

function circle(number) {
  return `circle-${number}`;
}

/** The `authorization` of a caller: a token that it signed, good for any request to the ledger for an hour. */
export function authorization(ledger, key) {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { iss: 'bench', sub: `signer:${key.public}`, aud: ledger, iat, exp: iat + LIFE };
  const signed = [{ alg: 'EdDSA', kid: key.public }, claims].map((part) => encoded(JSON.stringify(part))).join('.');
  return `Bearer ${signed}.${encoded(native.sign(Buffer.from(signed), key.secret))}`;
}

function encoded(part) {
  return Buffer.from(part).toString('base64url');
}
