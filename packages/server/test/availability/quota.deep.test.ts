import { describe, expect, it } from 'vitest';
import { newLedger } from '../support/client.js';
import { withTwoServers } from '../support/server.js';
import { runSql } from '../support/sql.js';

const MEBIBYTE = 2 ** 20;
const QUOTA = 20 * MEBIBYTE;

/** Bytes of a record, and how many are sent to each process at a time. */
const ATTACK = { bytes: 900_000, lanes: 4 };

const servers = withTwoServers({ ledgerQuota: QUOTA });

describe('a tenant that stores as much as it can, by two processes', () => {
  it('has a bound, and the writes of others go on', async () => {
    const [first, second] = servers.current;
    const attacker = await newLedger(first.url);
    const victim = await newLedger(second.url);
    const custom = { text: 'x'.repeat(ATTACK.bytes) };
    let made = 0;
    const fill = async (url: string) => {
      for (let refused = 0; refused < 2; ) {
        made += 1;
        const { status } = await attacker.at(url).create('/wallets', { handle: `large-${made}`, custom });
        expect([201, 429]).toContain(status);
        if (status === 429) refused += 1;
      }
    };
    let isOver = false;
    const attack = Promise.all(
      [first.url, second.url].flatMap((url) => Array.from({ length: ATTACK.lanes }, () => fill(url))),
    ).finally(() => {
      isOver = true;
    });
    for (let count = 0; !isOver || count < 10; count += 1) {
      expect((await victim.create('/wallets', { handle: `w-${count}` })).status).toBe(201);
    }
    await attack;
    const [row] = await runSql<{ bytes: number }>(
      servers.databaseUrl,
      `select sum(octet_length(body))::int as bytes from change where ledger_id = (select id from ledger where handle = $1)`,
      [attacker.ledger],
    );
    expect(row!.bytes).toBeGreaterThan(QUOTA / 2);
    // What was under way when a process asked, and what the other stores until it asks again, may come on top.
    expect(row!.bytes).toBeLessThan(QUOTA + 4 * ATTACK.lanes * ATTACK.bytes);
  });
});
