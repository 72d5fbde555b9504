import { finalStatuses } from '../../kinds/erasable.js';
import { kindNamed } from '../../kinds/registry.js';
import { bytesArray, rowsOf, textArray } from '../parameters.js';
import { besideOf, bytesOf } from '../quotas.js';
import { readSql } from '../sql.js';
import type { BalanceWrite, EntryWrite, LimitWrite, OpenIntentWrite, Settlement } from './settlement.js';
import type { EarlierVersion, Need, NewDelivery, Write } from './write.js';

// The types of parameters stand with the functions that take them.
const STORE_BATCH = readSql('store_batch_1');
const SETTLE_BATCH = readSql('settle_batch_1');

/** The position of a write in its batch, or of the write that a row belongs to. */
const ord = (_: unknown, position: number | null) => position;

/** Whether a write gives its record a key that proofs and tokens can be made with. */
export function registersKey({ kind, action, link }: Pick<Write, 'kind' | 'action' | 'link'>): boolean {
  return kindNamed(kind).links.isKey === true && action !== 'drop' && link !== undefined;
}

const toWrites = rowsOf<Write>(STORE_BATCH, 'store_write_1', {
  ord,
  version: ({ version }) => version,
  action: ({ action }) => action,
  kind: ({ kind }) => kind,
  handle: ({ key }) => key,
  luid: ({ luid }) => luid,
  change: ({ change }) => change,
  was: ({ change, earlier = [] }) => change - 1 - earlier.length,
  moment: ({ moment }) => moment,
  is_fixed: ({ kind }) => kindNamed(kind).lifecycle.fixedMoment === true,
  hash: ({ hash }) => hash,
  status: ({ status }) => status,
  domain: ({ domain }) => domain,
  link: ({ link }) => link,
  proven: ({ proven }) => proven,
  registers: registersKey,
  bumps_rules: ({ bumpsRules }) => bumpsRules,
  wakes: ({ wakes = false }) => wakes,
  final: ({ action, kind }) => (action === 'erase' ? listOf(finalStatuses(kindNamed(kind))) : null),
  proofs: ({ proofs }) => uuidsOf(proofs),
  veiled: ({ veiled = [] }) => uuidsOf(veiled),
  mac: ({ mac }) => mac,
  leaves: ({ leaves }) => leaves,
  bytes: (write) => bytesOf(write),
  beside: (write) => besideOf(write),
});

const toEarlier = rowsOf<EarlierVersion>(STORE_BATCH, 'store_earlier_1', {
  ord,
  change: ({ change }) => change,
  action: ({ action }) => action,
  cut: ({ cut }) => cut,
  mac: ({ mac }) => mac,
});

const toUnregistered = rowsOf<string>(STORE_BATCH, 'store_unregistered_1', {
  ord,
  public: (key) => key,
});

const toNeeded = rowsOf<Need>(STORE_BATCH, 'store_needed_1', {
  ord,
  kind: ({ kind }) => kind,
  handle: ({ handle }) => handle,
  luid: ({ luid }) => luid,
  change: ({ change }) => change,
});

const toSecrets = rowsOf<NonNullable<Write['secrets']>[number]>(STORE_BATCH, 'store_secret_1', {
  ord,
  name: ({ name }) => name,
});

const toDeliveries = rowsOf<NewDelivery>(STORE_BATCH, 'store_delivery_1', {
  ord,
  handle: ({ handle }) => handle,
  purpose: ({ purpose }) => purpose,
  entry: ({ entry }) => entry,
  effect: ({ effect }) => effect,
  effect_handle: ({ effectHandle }) => effectHandle,
  effect_change: ({ effectChange }) => effectChange,
  effect_domain: ({ effectDomain }) => effectDomain,
  bridge: ({ bridge }) => bridge,
  target: ({ target }) => target,
  record: ({ record }) => record,
  linked: ({ linked }) => linked,
  mac: ({ mac }) => mac,
});

const toBalances = rowsOf<BalanceWrite>(SETTLE_BATCH, 'settle_balance_1', {
  wallet: ({ wallet }) => wallet,
  symbol: ({ symbol }) => symbol,
  was: ({ was }) => was,
  version: ({ version }) => version,
  available: ({ available }) => available.amount,
  available_luid: ({ available }) => available.luid,
  available_moment: ({ available }) => available.moment,
  available_changed: ({ available }) => available.isChanged,
  reserved: ({ reserved }) => reserved?.amount,
  reserved_luid: ({ reserved }) => reserved?.luid,
  reserved_moment: ({ reserved }) => reserved?.moment,
  reserved_changed: ({ reserved }) => reserved?.isChanged,
});

const toEntries = rowsOf<EntryWrite>(SETTLE_BATCH, 'settle_entry_1', {
  wallet: ({ wallet }) => wallet,
  symbol: ({ symbol }) => symbol,
  version: ({ version }) => version,
  intent: ({ intent }) => intent,
  change: ({ change }) => change,
  available_by: ({ availableBy }) => availableBy,
  reserved_by: ({ reservedBy }) => reservedBy,
  available: ({ available }) => available,
  reserved: ({ reserved }) => reserved,
  moment: ({ moment }) => moment,
});

const toLimits = rowsOf<LimitWrite>(SETTLE_BATCH, 'settle_limit_1', {
  wallet: ({ wallet }) => wallet,
  symbol: ({ symbol }) => symbol,
  metric: ({ metric }) => metric,
  luid: ({ luid }) => luid,
  was: ({ was }) => was,
  version: ({ version }) => version,
  amount: ({ amount }) => amount,
  day: ({ day }) => day,
  used: ({ used }) => used,
});

const toOpened = rowsOf<OpenIntentWrite>(SETTLE_BATCH, 'settle_open_1', {
  luid: ({ luid }) => luid,
  thread: ({ thread }) => thread,
  was: ({ was }) => was,
  was_due: ({ wasDue }) => wasDue,
  due: ({ due }) => due,
  deadline: ({ deadline }) => deadline,
  stage: ({ stage }) => stage,
  uses: ({ uses }) => listOf(uses),
  mac: ({ mac }) => mac,
});

/** Texts as an array of PostgreSQL. */
function listOf(texts: readonly string[]): string {
  return `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
}

/** Identifiers in hexadecimal as an array of PostgreSQL. */
function uuidsOf(uuids: readonly string[]): string {
  return `{${uuids.join(',')}}`;
}

/** The elements of a list that writes have, and the positions of their writes. */
class ElementRows<T> {
  readonly all: T[] = [];
  readonly ords: (number | null)[] = [];

  static of<T>(writes: readonly Write[], list: (write: Write) => readonly T[] | undefined): ElementRows<T> {
    const rows = new ElementRows<T>();
    rows.addOf(writes, list);
    return rows;
  }

  addOf(writes: readonly Write[], list: (write: Write) => readonly T[] | undefined): void {
    for (let index = 0; index < writes.length; index += 1) this.add(list(writes[index]!), index + 1);
  }

  add(rows: readonly T[] | undefined, position: number | null): void {
    for (const row of rows ?? []) {
      this.all.push(row);
      this.ords.push(position);
    }
  }
}

/** The parameters of a function of the database, by name. */
type Parameters = Readonly<Record<string, unknown>>;

/** Writes with their texts. */
export function textParameters(writes: readonly Write[]): Parameters {
  return {
    writes: toWrites(writes),
    documents: textArray(writes.map(({ document }) => document)),
    judged_data: textArray(writes.map(({ judged = '' }) => judged)),
    bodies: textArray(writes.map(({ body }) => body)),
  };
}

/** Writes as batches take them: with earlier versions, and the keys that they assume to be unregistered. */
export function writeParameters(writes: readonly Write[]): Parameters {
  const earlier = ElementRows.of(writes, (write) => write.earlier);
  const unregistered = ElementRows.of(writes, (write) => write.assumedUnregistered);
  return {
    ...textParameters(writes),
    earlier: toEarlier(earlier.all, earlier.ords),
    earlier_bodies: textArray(earlier.all.map(({ body }) => body)),
    unregistered: toUnregistered(unregistered.all, unregistered.ords),
  };
}

/** The records that writes need, by the position of each. */
export function needParameters(writes: readonly Write[]): Parameters {
  const needs = ElementRows.of(writes, (write) => write.mustExist);
  return { needs: toNeeded(needs.all, needs.ords) };
}

/** Secrets of writes, and their sealed values. */
export function secretParameters(writes: readonly Write[]): Parameters {
  const secrets = ElementRows.of(writes, (write) => write.secrets);
  return {
    secrets: toSecrets(secrets.all, secrets.ords),
    sealed_values: bytesArray(secrets.all.map(({ sealed }) => sealed)),
  };
}

/** Calls of bridges, and deliveries of writes, with the texts of their events. */
export function deliveryParameters(writes: readonly Write[], calls: readonly NewDelivery[] = []): Parameters {
  const queued = new ElementRows<NewDelivery>();
  queued.add(calls, null);
  queued.addOf(writes, ({ deliveries }) => deliveries);
  return {
    deliveries: toDeliveries(queued.all, queued.ords),
    events: textArray(queued.all.map(({ event }) => event)),
  };
}

/** What a settlement stores beside writes, and what it needs as a whole. */
export function settlementParameters(settlement: Settlement): Parameters {
  const { writes, needs, calls, moment, balances, entries, limits, opened, closed } = settlement;
  return {
    needs: toNeeded(needs),
    ...deliveryParameters(writes, calls),
    moment,
    balances: toBalances(balances),
    entries: toEntries(entries),
    limits: toLimits(limits),
    limit_bodies: textArray(limits.map(({ body }) => body)),
    opened: toOpened(opened),
    states: textArray(opened.map(({ state }) => state)),
    closed,
  };
}
