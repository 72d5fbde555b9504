import { describe, expect, it } from 'vitest';
import { isAnyOfSeveral, parseDatabaseUrl, placeOfHost } from '../../src/store/hosts/database-url.js';

const placesOf = (text: string) => parseDatabaseUrl(text).urls.map(placeOfHost);
const hostsOf = (text: string) => placesOf(text).map(({ host }) => host);

describe('a connection string', () => {
  it.each([
    ['one:5433,two', ['one:5433', 'two:5432']],
    ['[::1]:5433,[2001:db8::1]', ['::1:5433', '2001:db8::1:5432']],
    ['10.0.0.1,10.0.0.2:6000,10.0.0.3', ['10.0.0.1:5432', '10.0.0.2:6000', '10.0.0.3:5432']],
    ['%2Frun%2Fa,b', ['/run/a:5432', 'b:5432']],
  ])('names several hosts: %s', (list, hosts) => {
    expect(hostsOf(`postgresql://u:p@${list}/db`)).toEqual(hosts);
    expect(hostsOf(`postgres://${list}`)).toEqual(hosts);
    expect(isAnyOfSeveral(`postgresql://${list}`)).toBe(true);
    expect(isAnyOfSeveral(`postgresql://${list}?target_session_attrs=primary`)).toBe(false);
  });

  it('names hosts and ports by parameters as well, which take precedence', () => {
    expect(hostsOf('postgresql://u@/db?host=/run/a,/run/b&port=5433,5434')).toEqual(['/run/a:5433', '/run/b:5434']);
    expect(hostsOf('postgresql://x:1/db?host=a,b')).toEqual(['a:1', 'b:1']);
    expect(hostsOf('postgresql://x:1,y:2/db?port=5433')).toEqual(['x:5433', 'y:5433']);
    expect(hostsOf('postgresql://u:p@/db?host=/run/a')).toEqual(['/run/a:5432']);
  });

  it('has user, password and parameters for all of its hosts', () => {
    const text = 'postgresql://us%40er:p%3A%2F%2C@a,b/d%20b?application_name=x%20y&target_session_attrs=read-write';
    const { urls, attrs } = parseDatabaseUrl(text);
    expect(attrs).toBe('read-write');
    for (const url of urls) {
      expect(url).toContain('us%40er:p%3A%2F%2C@');
      expect(url).toContain('application_name=x%20y');
      expect(placeOfHost(url)).toMatchObject({ user: 'us@er', database: 'd b' });
    }
  });

  it('is the driver’s alone where it names one host, and any server will do', () => {
    for (const text of ['postgresql://u:p@h/db?sslmode=verify-full', 'postgresql:///db', 'postgresql://h:1?host=/x']) {
      expect(parseDatabaseUrl(text)).toEqual({ urls: [text], attrs: 'any' });
    }
  });

  it.each([
    ['a:1,b:x/db', /^must be a connection string/],
    ['a:70000,b/db', /^must be a connection string/],
    ['a%,b/db', /^must be a connection string/],
    ['a,b,c/db?port=1,2', /^has 2 ports for 3 hosts$/],
    ['a,b/db?target_session_attrs=standby', /^has a target_session_attrs that is none of any, read-write, primary$/],
    ['a/db?sslmode=verify-full&sslrootcert=/not/there', /^names a file that cannot be read: ENOENT.*'\/not\/there'$/],
  ])('is refused in one line: %s', (rest, why) => {
    const parse = () => parseDatabaseUrl(`postgresql://u:hidden@${rest}`);
    expect(parse).toThrow(why);
    expect(parse).not.toThrow('hidden');
  });
});
