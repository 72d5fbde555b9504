import { isIP } from 'node:net';

/** Where the server listens; undefined where a setting is wrong, or nothing listens. */
interface ListenAddresses {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly metricsPort?: number | undefined;
  readonly metricsHost?: string | undefined;
  readonly adminPort?: number | undefined;
  readonly adminHost?: string | undefined;
}

/** URLs that lead to a listener: its own, then those by the other names of loopback where it is one. */
export function urlsOf(host: string, port: number): string[] {
  const own = urlHost(host);
  const names = LOOPBACK_NAMES.includes(own) ? [own, ...LOOPBACK_NAMES.filter((name) => name !== own)] : [own];
  return names.map((name) => `http://${name}:${port}`);
}

/** What is wrong where two listeners would meet. */
export function findSharedPorts(config: ListenAddresses): string[] {
  const { port, host, metricsPort, metricsHost, adminPort, adminHost } = config;
  const listeners = [
    { name: 'PORT', port, host },
    { name: 'METRICS_PORT', port: metricsPort, host: metricsHost },
    { name: 'ADMIN_PORT', port: adminPort, host: adminHost },
  ];
  return listeners.flatMap(({ name, port, host }, at) => {
    const other = listeners.slice(0, at).find((one) => one.port === port && meet(one.host, host));
    return port === undefined || other === undefined
      ? []
      : [`${name} ${port} is ${other.name} as well: set ${name} to another`];
  });
}

/** Whether both hosts are, or hold, one address. */
function meet(...hosts: (string | undefined)[]): boolean {
  const [one = '', other = ''] = hosts.map((host) => (host === 'localhost' ? '127.0.0.1' : host));
  if (one === other || one === '::' || other === '::') return true;
  return (one === '0.0.0.0' && isIP(other) !== 6) || (other === '0.0.0.0' && isIP(one) !== 6);
}

/** The loopback names of this machine, which clients use interchangeably. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** A host as it stands in a URL. A wildcard address becomes `localhost`. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}
