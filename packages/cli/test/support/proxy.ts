import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TestKey } from '../../../server/test/support/client.js';
import { createProxy, type ProxyOptions } from '../../src/proxy/proxy.js';
import { identityOfKey } from '../../src/wire/identity.js';

/** A proxy on a port of its own. */
export interface RunningProxy {
  readonly url: string;
  readonly port: number;
  readonly log: readonly string[];
  stop(): Promise<void>;
}

/** Starts a proxy that signs with a key. */
export async function startProxy(
  server: string,
  key: TestKey,
  more: Partial<ProxyOptions> = {},
): Promise<RunningProxy> {
  const log: string[] = [];
  const proxy = createProxy({
    server: new URL(server),
    identity: identityOfKey(key, 'ada', Date.now),
    allowedOrigins: new Set(),
    isBound: true,
    now: Date.now,
    log: (line) => log.push(line),
    ...more,
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    stop: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
