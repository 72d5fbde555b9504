/** Requests that are prepared and sent at a time. */
const BATCH = { wallets: 8_000, transfers: 1_500 };

/** Of so many batches of wallets one updates and one changes the status, and the others create. */
const TURN = 6;

/** Changes that one request makes: a transfer is stored in eight versions. */
const MADE = { transfer: 8 };

/**
 * Loads records over the same path as everybody, as fast as they are taken: wallets, which are created, updated and change
 * their status, and transfers at the same time.
 *
 * @param wallets gives the generator of wallets a task
 * @param money gives the generator of transfers a task
 * @param port of the server
 * @param options.connections `{ wallets, money }` of each generator
 * @param options.isEnough whether it is over, given how many changes were made
 * @param options.told is called after each batch with `{ shape, count, seconds, changes }`
 * @returns how many changes were made
 */
export async function load(wallets, money, port, { connections, isEnough, told }) {
  let changes = 0;
  const send = async (tell, shape, { count, connections }) => {
    await tell('prepare', { shape, count });
    const done = await tell('run', { shape, port, connections, checked: true });
    changes += count * (MADE[shape] ?? 1);
    told({ shape, count, seconds: done.seconds, changes });
  };
  const loadWallets = async () => {
    for (let turn = 0; !isEnough(changes); turn += 1) {
      const shape = ['update', 'proof'][turn % TURN] ?? 'create';
      await send(wallets, shape, { count: BATCH.wallets, connections: connections.wallets });
    }
  };
  const loadTransfers = async () => {
    const options = { count: BATCH.transfers, connections: connections.money };
    while (!isEnough(changes)) await send(money, 'transfer', options);
  };
  await Promise.all([loadWallets(), loadTransfers()]);
  return changes;
}
