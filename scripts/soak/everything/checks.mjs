import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectToDatabase } from '../../../bench/conditions.mjs';
import { WRONG_BALANCES } from '../../../bench/invariants.mjs';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** Requests at a time that read everything again. */
const READERS = 24;

/** Seconds in which all events must have been delivered, and after which those that failed are asked for again. */
const PATIENCE = 900;
const RETRY = 120;

/** What must hold of all balances and versions. */
const INVARIANTS = {
  'intents under way': `select count(*)::int as wrong from open_intent`,
  'balances unlike the sum of their movements': WRONG_BALANCES,
  'money made or lost': `select (sum(available) + sum(coalesce(reserved, 0)) - count(*) * 1000000000)::float8 as wrong from balance`,
  'versions missing': `select count(*)::int as wrong from (
    select count(*) as found, max(change) as newest from change group by ledger_id, luid) c where found <> newest`,
  'changes not sealed': `select count(*)::int as wrong from unsealed where moment < now() - interval '1 minute'`,
};

/**
 * Waits until nothing is under way any more.
 *
 * @returns `{ seconds, retries }`
 */
export async function drained(tenants, findings, told) {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  let retries = 0;
  let asked = 0;
  for (;;) {
    const waiting = [];
    for (const tenant of tenants) {
      const paths = [...Object.keys(tenant.effects).map((handle) => `/effects/${handle}`), '/bridges/bank'];
      for (const path of paths) if ((await tenant.waiting(path)) > 0) waiting.push({ tenant, path });
    }
    if (waiting.length === 0) return { seconds: seconds(), retries };
    told(`waiting for deliveries: ${waiting.map(({ tenant, path }) => `${tenant.handle}${path}`).join(', ')}`);
    if (seconds() > PATIENCE) {
      findings.add(
        'deliveries are still under way',
        waiting.map(({ tenant, path }) => `${tenant.handle}${path}`).join(),
      );
      return { seconds: seconds(), retries };
    }
    if (seconds() > RETRY * (asked + 1)) {
      asked += 1;
      for (const { tenant, path } of waiting) await tenant.retry(path);
      retries += waiting.length;
    }
    await pause(1_000);
  }
}

/** Reads everything again that was acknowledged, and compares events, balances, bank and database. */
export async function check({ tenants, findings, folder }, told) {
  for (const tenant of tenants) {
    const { wallets, payments } = tenant;
    told(`${tenant.handle}: reading ${wallets.all.length} wallets and ${payments.all.length} payments again`);
    await findings.of('reading wallets', () => each(wallets.all, (wallet) => wallets.readAgain(wallet)));
    await findings.of('reading payments', () => each(payments.all, (payment) => payments.readAgain(payment)));
    await findings.of('reading balances', () =>
      each([...payments.balances.keys()], (wallet) => payments.readBalance(wallet)),
    );
    await findings.of(`reading the bank of ${tenant.handle}`, () => checkBank(tenant, findings));
    for (const [handle, effect] of Object.entries(tenant.effects)) checkEvents(tenant, handle, effect, findings);
  }
  await findings.of('reading the database', () => checkDatabase(folder, findings));
  await examine(folder, findings);
}

async function each(items, work) {
  let next = 0;
  const one = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: READERS }, one));
}

async function checkBank({ handle, bank, payments }, findings) {
  await bank.kill();
  const books = await bank.books();
  for (const [account, expected] of payments.accounts) {
    const { available, held } = books.balance(account, 'usd');
    if (available !== expected || held !== 0)
      findings.add(
        'an account of the bank is wrong',
        `${handle} ${account}: ${available}, ${held} held, not ${expected}`,
      );
  }
  await books.close();
}

function checkEvents({ handle: ledger }, handle, { receiver, expected }, findings) {
  const told = new Set(expected());
  for (const key of told)
    if (!receiver.seen.has(key)) findings.add('an event was not delivered', `${ledger} ${handle} ${key}`);
  for (const key of receiver.seen.keys()) {
    if (!told.has(key)) findings.add('an event was delivered that was not raised', `${ledger} ${handle} ${key}`);
  }
}

async function checkDatabase(folder, findings) {
  const database = await connectToDatabase(folder);
  for (const [what, text] of Object.entries(INVARIANTS)) {
    const { rows } = await database.query(text);
    if (rows[0].wrong !== 0) findings.add(what, String(rows[0].wrong));
  }
  await database.end();
}

/** What an operator asks when in doubt. */
async function examine(folder, findings) {
  const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: '' };
  await promisify(execFile)(process.execPath, [COMMAND, 'admin', 'doctor'], { env }).catch(({ message, stdout }) =>
    findings.add('countersign admin doctor finds something', `${message} ${stdout}`),
  );
}
