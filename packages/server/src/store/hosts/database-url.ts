import pg from 'pg';

/** Where a connection string leads. */
export interface DatabaseHosts {
  /** A connection string for each host, in the order given. */
  readonly urls: readonly string[];
  /** Which server will do: `target_session_attrs`. */
  readonly attrs: SessionAttrs;
}

/** What a connection string has for one host; the password is left out. */
export interface DatabasePlace {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

const CONNECTION_FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/s;

/** Parameters that are ours to read; all others are the driver's. */
const OURS = ['host', 'port', 'target_session_attrs'];

/** `any` takes the first that answers, `primary` one that is no standby, `read-write` one that takes writes as well. */
const SESSION_ATTRS = ['any', 'read-write', 'primary'] as const;

export type SessionAttrs = (typeof SESSION_ATTRS)[number];

/**
 * Reads a connection string that may name several hosts, in the form of PostgreSQL's own clients:
 * `postgresql://user:password@one:5432,two:5433/database?target_session_attrs=read-write`. The driver knows one host.
 *
 * @throws Error without the value, which may hold a password. Its message completes a sentence that begins with the setting's name
 */
export function parseDatabaseUrl(text: string): DatabaseHosts {
  const [, scheme, authority = '', path = '', query = ''] = CONNECTION_FORM.exec(text) ?? [];
  if (scheme === undefined) throw invalidUrl();
  const parameter = (name: string) => new URLSearchParams(query).getAll(name).at(-1) || undefined;
  const named = parameter('target_session_attrs');
  const attrs = SESSION_ATTRS.find((one) => one === (named ?? 'any'));
  if (attrs === undefined) {
    throw new Error(`has a target_session_attrs that is none of ${SESSION_ATTRS.join(', ')}`);
  }
  const at = authority.lastIndexOf('@') + 1;
  const [user, list] = [authority.slice(0, at), authority.slice(at)];
  const places = hostsOf(list, parameter('host'), parameter('port'));
  const others = query.split('&').filter((one) => one !== '' && !OURS.includes(parameterName(one)));
  const urls =
    places.length === 1 && named === undefined
      ? [text]
      : places.map((place) => {
          const own = Object.entries(place).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
          return `${scheme}${user}localhost${path}?${[...others, ...own].join('&')}`;
        });
  for (const url of urls) assertReadable(url);
  return { urls, attrs };
}

/** Whether any of several hosts will do, so that a standby may be chosen. */
export function isAnyOfSeveral(text: string): boolean {
  const { urls, attrs } = parseDatabaseUrl(text);
  return urls.length > 1 && attrs === 'any';
}

/** What the driver makes of the connection string of one host, its defaults included. */
export function placeOfHost(url: string): DatabasePlace {
  const { host, port, user = '', database = user } = new pg.Client({ connectionString: url });
  return { host: `${host}:${port}`, user, database };
}

interface HostAndPort {
  readonly host: string;
  readonly port?: string;
}

/**
 * The hosts and their ports. As in the driver, those of the parameters take precedence.
 *
 * @param list what the authority has after the user
 */
function hostsOf(list: string, host: string | undefined, port: string | undefined): HostAndPort[] {
  const named = list.split(',').map((one) => /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/s.exec(one));
  if (named.includes(null)) throw invalidUrl();
  const hosts = host?.split(',') ?? named.map((one) => decode(one?.[1]?.replace(/^\[(.*)\]$/s, '$1') ?? ''));
  const ports = port?.split(',') ?? named.map((one) => one?.[2] ?? '');
  if (ports.length !== hosts.length && ports.length !== 1) {
    throw new Error(`has ${ports.length} ports for ${hosts.length} hosts`);
  }
  return hosts.map((one, index) => {
    const own = ports.length === 1 ? ports[0]! : ports[index]!;
    if (own !== '' && !(/^\d{1,5}$/.test(own) && Number(own) >= 1 && Number(own) <= 65_535)) throw invalidUrl();
    return { host: one === '' ? 'localhost' : one, ...(own === '' ? {} : { port: own }) };
  });
}

function parameterName(text: string): string {
  return [...new URLSearchParams(text).keys()][0] ?? '';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrl();
  }
}

/** @throws Error where the driver cannot read it, or a file of certificates that it names */
function assertReadable(url: string): void {
  try {
    placeOfHost(url);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).path === undefined) throw invalidUrl();
    throw new Error(`names a file that cannot be read: ${(error as Error).message}`);
  }
}

function invalidUrl(): Error {
  return new Error('must be a connection string such as postgresql://user:password@host/database');
}
