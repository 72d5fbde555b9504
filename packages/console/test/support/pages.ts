import { readFileSync } from 'node:fs';
import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import { type Doing, doingsOf } from '../../src/forms/operations.js';

const SOURCE = readFileSync(new URL('../../src/app/routes.tsx', import.meta.url), 'utf8');

/** The paths of the console's pages, as its router has them: `/l/$ledger/money/wallet/$id`. */
export const ROUTES: readonly string[] = [
  ...SOURCE.matchAll(/getParentRoute: \(\) => (rootRoute|ledgerRoute),\s+path: '([^']+)'/g),
].map(([, parent, path]) => (parent === 'ledgerRoute' ? `/l/$ledger${path}`.replace(/\/$/, '') : String(path)));

/** Kinds that have a list of their own. */
const LISTED = DESCRIPTION.filter(({ parent, item }) => parent === undefined && item.includes('{id}'));

/** States of pages that no path has by itself. */
const MORE = {
  version: '/wallet/alice?change=1',
  'ledger record': '/ledger/record',
  below: '/signer-factor',
  filtered: '/wallet?filter=data.handle%3Dalice&columns=data.handle,meta.status',
  'bad filter': '/wallet?filter=data.nothing%3D1',
  'empty list': '/wallet?filter=data.handle%3Dnothing',
  'access of a record': '/access?kind=wallet&id=alice',
  'money of no symbol': '/money?symbol=none',
  missing: '/signer/nobody',
  nowhere: '/nothing',
};

/** Every page of the console for every kind of record, by its name. */
function everyAddress(ledger: string): Record<string, string> {
  const found = ROUTES.flatMap((route) => filled(route)).map((path) => path.replace('$ledger', ledger));
  const more = Object.entries(MORE).map(([name, path]) => [name, `/l/${ledger}${path}`]);
  return Object.fromEntries([...found.map((path) => [nameOf(path), path]), ...more]);
}

/**
 * The pages of the console, by their names: addresses of a ledger that has records of every kind. A page that gets its path in the router is
 * among them. Lists and forms of some kinds stand for all.
 */
export function pagesOf(ledger: string): Record<string, string> {
  const isShown = (path: string) =>
    !/\/do\/create\/(?!intent|wallet|schema)|^\/l\/[^/]+\/(?!wallet|money|access|watch|begin)[\w-]+$/.test(path);
  return Object.fromEntries(
    Object.entries(everyAddress(ledger)).filter(([name, path]) => name in MORE || isShown(path)),
  );
}

/** The addresses of a path: one for each kind of record that it is made for. */
function filled(route: string): string[] {
  if (!route.includes('$kind')) return [withId(route, /\/(\w+)\/\$id$/.exec(route)?.[1] ?? '')];
  const hasId = route.includes('$id');
  if (route.includes('$operation')) {
    return doings(hasId).map(([doing, { record }]) => withId(route.replace('$operation', doing), record));
  }
  const kinds = route.includes('/deliveries/') ? LISTED.filter(hasDeliveries) : LISTED;
  return kinds.map(({ record }) => withId(route, record));
}

function withId(route: string, record: string): string {
  const ids: Record<string, string> = { wallet: 'alice', intent: 'i-2', symbol: 'usd' };
  return route.replace('$kind', record).replace('$id', ids[record] ?? `${record}-a`);
}

/** Forms: one to create a record of each kind, and on records one of each sort. */
function doings(onRecords: boolean): [Doing, KindDescription][] {
  const all = LISTED.flatMap((kind) => doingsOf(kind).map((doing): [Doing, KindDescription] => [doing, kind]));
  if (!onRecords) return all.filter(([doing]) => doing === 'create');
  return [...new Map(all.filter(([doing]) => doing !== 'create').map((one) => [one[0], one])).values()];
}

function hasDeliveries({ operations }: KindDescription): boolean {
  return operations.some(({ name }) => name === 'events');
}

function nameOf(path: string): string {
  return (
    path
      .replace(/^\/l\/[^/]+/, 'ledger')
      .slice(path.startsWith('/l/') ? 0 : 1)
      .replaceAll('/', ' ') || 'start'
  );
}
