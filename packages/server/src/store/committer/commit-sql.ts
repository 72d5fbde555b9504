import { limits } from '../../limits.js';
import { FINAL, KEYED } from '../queries/kinds-where.js';
import { newestMoment } from '../queries/newest-moment.js';
import { formatUnnest } from '../queries/unnested.js';
import { addBytes } from '../stored-bytes.js';
import { type Settles, settleFirst, settleFrom, settleLast, settleOutcome } from './settle-sql.js';
import { ROW_BYTES } from './write-size.js';

const WRITES = [
  'ord int',
  'version bigint',
  'action text',
  'kind text',
  'handle text',
  'luid text',
  'change int',
  'was int',
  'moment timestamptz',
  'hash text',
  'status text',
  'domain text',
  'link text',
  'proven boolean',
  'document text',
  'judged text',
  'body text',
  'needs int',
  'decides boolean',
  'mac text',
  'proofs text',
  'veiled text',
  'wakes boolean',
  'leaves text',
  'clock timestamptz',
  'bytes int',
  'beside int',
];
const STRANGERS = ['ord int', 'public text'];
const NEEDS = ['ord int', 'kind text', 'handle text', 'luid text', 'change int'];
const DELIVERIES = [
  'ord int',
  'n int',
  'handle text',
  'effect text',
  'effect_handle text',
  'effect_change int',
  'effect_domain text',
  'bridge text',
  'target text',
  'record text',
  'linked text',
  'event text',
  'mac text',
];

/** The parts of the statement that a batch needs; even an idle part costs its time. */
export interface Does {
  readonly create: boolean;
  readonly update: boolean;
  readonly drop: boolean;
  readonly erase: boolean;
  readonly decide: boolean;
  /** Gives a record a key that proofs and tokens can be made with. */
  readonly register: boolean;
  /** Raise events that are to be delivered. */
  readonly deliver: boolean;
  /** Settle intents: all writes of the batch, with the movements between balances, are stored or none (settle-sql.ts). */
  readonly settle: Settles | false;
  /** Wake the intents that they change (`Write.wakes`). */
  readonly wake: boolean;
}

/** The parameter of the kinds whose last moment is asked for, which batches that settle lack: it follows those of all batches. */
const KINDS = 2 + WRITES.length + STRANGERS.length + NEEDS.length;

/** The first parameter after these. */
const restOf = ({ settle }: Does) => (settle ? KINDS : KINDS + 1);

/**
 * The statement that stores a batch of writes: one round trip, one transaction, one fsync, however many writes. All are
 * of one ledger, which is the first parameter: each table is reached through it, so that the tables can be distributed
 * by it.
 *
 * Each write is validated (`held`) inside the statement that stores it, so that decisions rest on current state
 * (optimistic concurrency): the ledger's version is unchanged, strangers are still unregistered, and needed records
 * exist (and are locked against a drop meanwhile). A write that holds is stored if its proofs are unused by other
 * records, the record is still at the version before (compare-and-set), and the key is free (the unique index). A
 * client is thus told of a reused proof or a taken key under current rules only. A write that fails leaves its
 * neighbours alone. Writes that change the rules are also validated against one another: they take turns.
 */
export function commitStatement(does: Does): string {
  const parts = [
    WRITE,
    !does.settle && NEWEST,
    does.decide && TURN,
    held(does),
    does.settle && settleFirst(restOf(does) + (does.deliver ? DELIVERIES.length : 0), does.settle, does),
    does.wake && AWAKE,
    does.create && created(does),
    does.update && updated(does),
    does.drop && DROPPED,
    does.erase && ERASED,
    done(does),
    does.drop && FORGOTTEN,
    does.wake && WOKEN,
    history(does),
    USED,
    does.deliver && queued(does),
    does.settle && settleLast(does.settle),
    logged(does),
    does.register && REGISTERED,
    (does.decide || does.register) && decided(does),
  ];
  return `with ${parts.filter(Boolean).join(', ')} ${outcomes(does)}`;
}

const WRITE = `
w as (
  select ord, version, action, kind, handle, luid, change, was,
         moment, hash, status, domain, link, proven, document::jsonb,
         nullif(judged, '') as judged, body, needs, decides, mac, proofs::uuid[], wakes, leaves, clock, bytes, nullif(beside, 0) as beside,
         exists (
           select from used_proof u
           where u.ledger_id = $1::bigint and u.digest = any(proofs::uuid[]) and u.luid <> w.luid)
         or exists (
           select from erased_proof e
           where e.ledger_id = $1::bigint and e.digest = any(veiled::uuid[])) as reused
  from ${formatUnnest('w', WRITES, 2)}
),
stranger as (select * from ${formatUnnest('s', STRANGERS, 2 + WRITES.length)}),
need as (select * from ${formatUnnest('n', NEEDS, 2 + WRITES.length + STRANGERS.length)}),
met as (
  select n.ord from need n
    join record r on r.ledger_id = $1::bigint and r.kind = n.kind and r.handle = n.handle
      and (n.luid is null or (r.luid = n.luid and r.change = n.change))
  for key share of r
)`;

/**
 * The first write of the batch that changes the rules, and the ledger's version once other transactions have ended
 * their changes of it. Two that were decided on the same version could each take away what the other rests on.
 */
const TURN = `
turn as (
  select first.ord, first.action, l.version
  from (
    select w.ord, w.action
    from w join ledger l on l.id = $1::bigint and l.version = w.version
    where w.decides order by w.ord limit 1
  ) first
    join ledger l on l.id = $1::bigint
  for no key update of l
)`;

// A create takes nothing from other writes, so creates share a turn.
const IN_TURN = `
    and (not w.decides or exists (
      select from turn t
      where t.version = w.version and (t.ord = w.ord or (t.action = 'create' and w.action = 'create'))))`;

const NEWEST = `
newest as materialized (${newestMoment('$1::bigint', `$${KINDS}::text[]`)})`;

/** A write whose clock is behind what is stored is decided anew, on the last moment. One that has waited for its commit is not. */
const IN_TIME = `
    and not exists (
      select from newest n where greatest(w.moment, w.clock) < n.moment - interval '${limits.moments.behind} milliseconds')`;

const held = ({ decide, settle }: Does) => `
held as (
  select w.* from w join ledger l on l.id = $1::bigint
  where l.version = w.version${decide ? IN_TURN : ''}${settle ? '' : IN_TIME}
    and not exists (
      select from stranger s join record r
        on r.ledger_id = $1::bigint and r.kind in (${KEYED}) and r.link = s.public
      where s.ord = w.ord)
    and (w.needs = 0 or w.needs = (select count(*) from met where met.ord = w.ord))
)`;

/** What only a batch that settles asks of each row it stores. */
const gate = ({ settle }: Does) => (settle ? ' and (select ok from sound)' : '');

const created = (does: Does) => `
created as (
  insert into record (ledger_id, kind, handle, luid, change, hash, status, moment, domain, link, link_proven, document,
    judged)
  select $1::bigint, kind, handle, luid, change, hash, status, moment, domain, link, proven, document, judged
  from held where action = 'create' and not reused${gate(does)} order by ord
  on conflict do nothing
  returning ledger_id, luid
)`;

// A key stays proven for as long as the record keeps it, and its order dates from when the record took it.
const updated = (does: Does) => `
updated as (
  update record r set handle = w.handle, change = w.change, hash = w.hash, status = w.status, moment = w.moment,
    domain = w.domain, link = w.link, document = w.document, judged = w.judged,
    link_proven = w.proven or (r.link_proven and r.link = w.link),
    link_since = case when r.link is distinct from w.link then nextval('record_seq_seq') else r.link_since end
  from held w
  where w.action = 'update' and not w.reused and r.ledger_id = $1::bigint and r.luid = w.luid and r.change = w.was${gate(does)}${
    does.wake ? ' and (select count(*) from awake) >= 0' : ''
  }
  returning w.ord
)`;

/**
 * The intents under way that are to be looked at: their rows are locked before those of their records, as a batch that
 * settles does, since two in opposite order would wait for each other.
 */
const AWAKE = `
awake as materialized (
  select o.luid from held join open_intent o on o.ledger_id = $1::bigint and o.luid = held.luid
  where held.wakes order by o.luid
  for no key update of o
)`;

/**
 * Whoever reads them, and is decided meanwhile, finds them due at another moment than before. They are due at once, also where the
 * moment is ahead of the clock.
 */
const WOKEN = `
woken as (
  update open_intent o set due = greatest(least(w.moment, clock_timestamp()), o.due + interval '1 microsecond')
  from w join done using (ord) where w.wakes and o.ledger_id = $1::bigint and o.luid = w.luid
)`;

const DROPPED = `
dropped as (
  delete from record r using held w
  where w.action = 'drop' and not w.reused and r.ledger_id = $1::bigint and r.luid = w.luid and r.change = w.was
  returning w.ord
)`;

/** Erasing a final record takes it out of `record`, if it is still at the change that was decided on. */
const ERASED = `
erased as (
  delete from record r using held w
  where w.action = 'erase' and not w.reused and r.ledger_id = $1::bigint and r.luid = w.luid and r.change = w.was
    and (r.kind, r.status) in (${FINAL})
    and not exists (select from open_intent o where o.ledger_id = $1::bigint and o.luid = w.luid)
  returning w.ord
)`;

/** A dropped record is erased once: the key of `change` keeps two apart. */
const ERASED_AFTER_DROP = `
  select h.ord from held h
  where h.action = 'erase' and not h.reused and exists (
    select from change c
    where c.ledger_id = $1::bigint and c.luid = h.luid and c.change = h.was and c.kind = h.kind and c.action = 'drop')`;

const done = ({ create, update, drop, erase }: Does) => {
  const stored = [
    // A batch that settles may decide without adding a version.
    !create && !update && !drop && !erase && `select ord from w where false`,
    create && `select held.ord from held join created using (luid) where action = 'create'`,
    update && 'select ord from updated',
    drop && 'select ord from dropped',
    erase && 'select ord from erased',
    erase && ERASED_AFTER_DROP,
  ];
  return `
done as (
  ${stored.filter(Boolean).join('\n  union all ') || 'select ord from w where false'}
)`;
};

const FORGOTTEN = `
forgotten as (
  delete from secret s using w join dropped using (ord) where s.ledger_id = $1::bigint and s.luid = w.luid
  returning s.sealed
)`;

// A create that stores later versions at once is followed by updates.
const history = ({ settle }: Does) => `
history as (
  insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac, beside${settle ? ', cut' : ''})
  select $1::bigint, luid, change, kind, case when change > was + 1 then 'update' else action end, moment, hash, body, mac, beside${settle ? ', null::int' : ''}
  from w join done using (ord)${
    settle
      ? `
  union all
  select $1::bigint, w.luid, e.change, w.kind, e.action, w.moment, w.hash, e.body, e.mac, null::int, e.cut
  from earlier e join w using (ord) join done using (ord)`
      : ''
  }
)`;

/** The leaves of what was stored, in its order, for the sealer, and its bytes, which count for the ledger's quota. */
const logged = ({ create, update, drop, erase, settle }: Does) => {
  const called = `(select coalesce(sum(${ROW_BYTES} + octet_length(event)), 0) from called)`;
  const isCalled = settle ? settle.call : false;
  // Without a version no leaf is queued.
  if (isCalled && !create && !update && !drop && !erase) return `\ncounted as (${addBytes(called)})`;
  const forgotten = `(select coalesce(sum(${ROW_BYTES} + octet_length(sealed)), 0) from forgotten)`;
  return `
logged as (
  insert into unsealed (ledger_id, luids, changes, leaves, bytes)
  select $1::bigint, array_agg(luid order by ord), array_agg(change order by ord), array_agg(leaves order by ord),
    sum(bytes)${isCalled ? ` + ${called}` : ''}${drop ? ` - ${forgotten}` : ''}
  from w join done using (ord) having count(*) > 0
)`;
};

// When another transaction has used a proof for another record since this statement began, the null violates its
// constraint and the whole batch is rolled back. Sorted, so that two batches with the same proofs avoid a deadlock.
const USED = `
used as (
  insert into used_proof (ledger_id, digest, luid)
  select $1::bigint, digest, luid from (select unnest(proofs) as digest, luid from w join done using (ord)) u order by digest
  on conflict (ledger_id, digest) do update set luid = null where used_proof.luid <> excluded.luid
)`;

/**
 * Deliveries of the changes that were stored, in the order in which they were raised. They are due at once, also where the moment
 * is ahead of the clock, since it is the ledger's last.
 */
const queued = (does: Does) => `
queued as (
  insert into delivery (ledger_id, handle, effect, effect_handle, effect_change, effect_domain, bridge, target, record,
    linked, event, mac, moment, due)
  select $1::bigint, d.handle, d.effect, d.effect_handle, d.effect_change, d.effect_domain, d.bridge, d.target, d.record,
    d.linked, d.event, d.mac, w.moment, least(w.moment, clock_timestamp())
  from ${formatUnnest('d', DELIVERIES, restOf(does))}
    join done using (ord) join w using (ord)
  order by d.n
)`;

/**
 * How often each key was taken by a record. A record that takes another's key may come before it
 * (store/queries/signers.ts), while processes have the other cached: the ledger's version must rise. Of two concurrent
 * transactions, the row lets the later one see the earlier.
 */
const REGISTERED = `
registered as (
  insert into taken_key (ledger_id, public, times)
  select $1::bigint, link, count(*) from w join done using (ord)
  where kind in (${KEYED}) and action <> 'drop' and link is not null group by link order by link
  on conflict (ledger_id, public) do update set times = taken_key.times + excluded.times
  returning times
)`;

const decided = ({ decide, register }: Does) => {
  const when = [
    decide && 'exists (select from w join done using (ord) where decides)',
    register && 'exists (select from registered where times > 1)',
  ];
  return `
decided as (
  update ledger set version = version + 1 where id = $1::bigint and (${when.filter(Boolean).join(' or ')})
  returning version
)`;
};

/** The outcome of each write, and the newest version of its ledger: a retry on an older one would fail again. */
const outcomes = ({ create, update, decide, register, settle }: Does) => {
  const versions = ['l.version', decide && 'turn.version', (decide || register) && 'decided.version'].filter(Boolean);
  return `
select w.ord, ${versions.length > 1 ? `greatest(${versions.join(', ')})` : 'l.version'} as version,
  case when done.ord is not null then 'done'
       when held.ord is not null and w.reused then 'reused'
       ${
         settle
           ? [
               create &&
                 `when held.ord is not null and w.action = 'create' and taken.ord is not null then 'duplicated'`,
               create && `when held.ord is not null and w.action = 'create' then 'blocked'`,
               update && `when held.ord is not null and at.ord is not null then 'blocked'`,
             ]
               .filter(Boolean)
               .join('\n       ')
           : `when held.ord is not null and w.action = 'create' then 'duplicated'`
       }
       else 'stale' end as result${
         settle ? settleOutcome(settle) : ', (select extract(epoch from moment) * 1000 from newest)::float8 as newest'
       }
from ${settle ? settleFrom({ create, update }) : 'w'}
  left join done using (ord)
  left join held using (ord)
  left join ledger l on l.id = $1::bigint${decide ? '\n  left join turn on true' : ''}${
    decide || register ? '\n  left join decided on true' : ''
  }
order by w.ord`;
};
