import { randomBytes, randomUUID } from 'node:crypto';

/** Characters of texts, about as long as those of wallets and completed transfers. */
const BODY = 1_100;
const DOCUMENT = 200;
const LEAF = 120;

/** Versions that a transfer stores, each of the earlier ones with what it has in common with the last cut off. */
const VERSIONS = 8;
const CUT = 700;

/** Movements of a transfer: reserved at the source, then moved from there, to the target. */
const FROM = [
  { availableBy: -1, reservedBy: 1 },
  { availableBy: 0, reservedBy: -1 },
];
const TO = [{ availableBy: 1, reservedBy: 0 }];

/** Milliseconds for which a ledger is held by whoever settles it. */
const LEASE = 60_000;

const digits = (count) => randomBytes(count).toString('hex').slice(0, count);
const textOf = (length) => 'x'.repeat(length);

/** A write that creates a record, as a request of a client makes one. */
export function createOf(ledger, kind, key = digits(12)) {
  return {
    ledger,
    version: 1,
    action: 'create',
    kind,
    key,
    luid: `$${kind.slice(0, 3)}.${digits(17)}`,
    change: 1,
    moment: new Date().toISOString(),
    hash: digits(64),
    status: 'created',
    proven: false,
    document: JSON.stringify({ handle: [key], text: [textOf(DOCUMENT)] }),
    body: textOf(BODY),
    proofs: [randomUUID()],
    veiled: [randomUUID()],
    assumedUnregistered: [],
    mustExist: [],
    mac: digits(64),
    leaves: textOf(LEAF),
    bumpsRules: false,
  };
}

/**
 * Makes settlements of transfers between wallets of a ledger, each of which follows the one before.
 *
 * @param wallets luids
 * @returns a function of how many transfers are settled together
 */
export function settlementsOf(ledger, holder, wallets) {
  const balances = new Map(wallets.map((wallet) => [wallet, newBalance(wallet)]));
  return (count) => {
    const before = new Map([...balances].map(([wallet, { version }]) => [wallet, version]));
    const moment = new Date().toISOString();
    const writes = [];
    const entries = [];
    for (let at = 0; at < count; at += 1) {
      const write = transferOf(ledger);
      const [from, to] = [wallets[at % wallets.length], wallets[(at + 1) % wallets.length]];
      for (const by of FROM) entries.push(moved(balances.get(from), by, write, moment));
      for (const by of TO) entries.push(moved(balances.get(to), by, write, moment));
      writes.push(write);
    }
    const changed = [...balances.values()].filter(({ wallet, version }) => version > before.get(wallet));
    return {
      ledger,
      writes,
      needs: [],
      balances: changed.map((one) => viewOf(one, before.get(one.wallet), moment)),
      entries,
      limits: [],
      opened: [],
      closed: [],
      calls: [],
      moment,
      leader: { holder, lease: LEASE, moment },
    };
  };
}

function transferOf(ledger) {
  const earlier = Array.from({ length: VERSIONS - 1 }, (_, at) => ({
    change: at + 1,
    action: at === 0 ? 'create' : 'update',
    cut: CUT,
    body: textOf(BODY - CUT),
    mac: digits(64),
  }));
  const leaves = textOf(LEAF * VERSIONS);
  return { ...createOf(ledger, 'intent'), status: 'completed', change: VERSIONS, earlier, leaves };
}

function newBalance(wallet) {
  const luids = { luid: `$bal.${digits(17)}`, reservedLuid: `$bal.${digits(17)}` };
  return { wallet, ...luids, version: 0, available: 1_000_000_000, reserved: 0 };
}

/** Moves a balance. @returns the row that says so */
function moved(balance, { availableBy, reservedBy }, { luid, change }, moment) {
  balance.version += 1;
  balance.available += availableBy;
  balance.reserved += reservedBy;
  const { wallet, version, available, reserved } = balance;
  return { wallet, symbol: 'usd', version, intent: luid, change, availableBy, reservedBy, available, reserved, moment };
}

function viewOf({ wallet, luid, reservedLuid, version, available, reserved }, was, moment) {
  const side = (amount, of) => ({ amount, luid: of, moment, isChanged: true });
  return {
    wallet,
    symbol: 'usd',
    was,
    version,
    available: side(available, luid),
    reserved: side(reserved, reservedLuid),
  };
}
