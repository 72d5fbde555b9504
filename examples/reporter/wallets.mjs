import { hash as hashOf, verifyProof } from '@countersign/protocol';

/** What a report asks for cannot be done: it is rejected with this text. */
export class Impossible extends Error {}

const MOST = { page: 500, rows: 100_000, days: 366 };
const COLUMNS = ['luid', 'handle', 'status', 'moment', 'hash'];

/** The window of a report in milliseconds. @throws Impossible when it has none */
export function parseWindow({ custom = {} }) {
  const [start, end] = [custom.start_timestamp, custom.end_timestamp].map((text) => Date.parse(text));
  if (!(start < end)) throw new Impossible('start_timestamp and end_timestamp must be moments, one after the other');
  if (end - start > MOST.days * 86_400_000) throw new Impossible(`A window has ${MOST.days} days at most`);
  return { start, end };
}

/** The file: a line for each wallet that was last changed in the window, newest first. */
export async function generateCsv(ledger, { start, end }) {
  const rows = new Map();
  // Each page goes on at the last moment: by numbers of pages, wallets that change meanwhile would make it skip others.
  for (let upTo = end - 1, full = true; full; ) {
    const known = rows.size;
    const page = await listWallets(ledger, start, upTo);
    for (const { luid, hash, data, meta } of page) rows.set(luid, [luid, data.handle, meta.status, meta.moment, hash]);
    if (rows.size > MOST.rows) throw new Impossible(`The window has more than ${MOST.rows} wallets`);
    full = page.length === MOST.page;
    if (full && rows.size === known) throw new Impossible('Too many wallets were changed at one moment');
    upTo = Date.parse(page.at(-1)?.meta.moment);
  }
  return [COLUMNS, ...rows.values()].map((cells) => `${cells.join(',')}\n`).join('');
}

/** A page of wallets, which the ledger has signed: newest first, both moments included. */
async function listWallets(ledger, from, upTo) {
  const [least, most] = [from, upTo].map((time) => new Date(time).toISOString());
  const filter = `meta.moment.$gte=${least}&meta.moment.$lte=${most}`;
  const { data, hash, meta, refused, detail } = await ledger.call('GET', `/wallets?page.limit=${MOST.page}&${filter}`);
  if (refused) throw new Impossible(`The ledger refuses the list of wallets: ${detail}`);
  const isSigned = meta.proofs.some((proof) => proof.public === ledger.key && verifyProof(hash, proof));
  if (!isSigned || hashOf(data) !== hash) throw new Error('A list of wallets is not what the ledger has signed');
  return data;
}
