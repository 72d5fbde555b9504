import { KEYED } from '../queries/kinds-where.js';
import { unnested } from '../queries/unnested.js';

const WRITES = [
  'ord int',
  'version bigint',
  'action text',
  'kind text',
  'handle text',
  'luid text',
  'change int',
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
];
const STRANGERS = ['ord int', 'public text'];
const NEEDS = ['ord int', 'kind text', 'handle text'];

/** What the writes of a batch do: the statement has a part for each, and parts that have nothing to do cost as much. */
export interface Does {
  readonly create: boolean;
  readonly update: boolean;
  readonly drop: boolean;
  readonly decide: boolean;
  /** Give a record a key that proofs and tokens can be made with. */
  readonly register: boolean;
}

/**
 * The statement that stores a batch of writes: one round trip, one transaction, one fsync, however many writes. All are
 * of one ledger, which is the first parameter: each table is reached through it, so that the tables can be distributed by
 * it.
 *
 * Each write is judged (`held`) on what it was decided on, inside the statement that stores it, so that no
 * decision rests on a stale read: the ledger's version, strangers still unregistered, needed records still there (and
 * locked, so that they cannot be dropped meanwhile). One that holds is stored where its proofs were not used for another
 * record, the record is still at the version before (compare-and-set), and the key still free (the unique index). So what
 * its client is told of those is told on rules that are current. A write that is not stored leaves its neighbours alone: it
 * is only not `done`. Only writes that change the rules are judged against one another too: they take turns.
 */
export function commitStatement(does: Does): string {
  const parts = [
    WRITE,
    does.decide && TURN,
    held(does),
    does.create && CREATED,
    does.update && UPDATED,
    does.drop && DROPPED,
    done(does),
    does.drop && FORGOTTEN,
    HISTORY,
    USED,
    does.register && REGISTERED,
    (does.decide || does.register) && decided(does),
  ];
  return `with ${parts.filter(Boolean).join(', ')} ${outcomes(does)}`;
}

const WRITE = `
w as (
  select ord, version, action, kind, handle, luid, change,
         moment, hash, status, domain, link, proven, document::jsonb,
         nullif(judged, '') as judged, body, needs, decides, mac, proofs::uuid[],
         exists (
           select from used_proof u
           where u.ledger_id = $1::bigint and u.digest = any(proofs::uuid[]) and u.luid <> w.luid) as reused
  from ${unnested('w', WRITES, 2)}
),
stranger as (select * from ${unnested('s', STRANGERS, 2 + WRITES.length)}),
need as (select * from ${unnested('n', NEEDS, 2 + WRITES.length + STRANGERS.length)}),
met as (
  select n.ord from need n
    join record r on r.ledger_id = $1::bigint and r.kind = n.kind and r.handle = n.handle
  for key share of r
)`;

/**
 * Of the writes that change what the ledger is judged by, the first in the batch, and the ledger's version once no other
 * transaction is changing it. Two that were decided on the same version could each take away what the other rests on.
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

// What is created takes nothing from anybody, so that creates need not wait for one another.
const IN_TURN = `
    and (not w.decides or exists (
      select from turn t
      where t.version = w.version and (t.ord = w.ord or (t.action = 'create' and w.action = 'create'))))`;

const held = ({ decide }: Does) => `
held as (
  select w.* from w join ledger l on l.id = $1::bigint
  where l.version = w.version${decide ? IN_TURN : ''}
    and not exists (
      select from stranger s join record r
        on r.ledger_id = $1::bigint and r.kind in (${KEYED}) and r.link = s.public
      where s.ord = w.ord)
    and (w.needs = 0 or w.needs = (select count(*) from met where met.ord = w.ord))
)`;

const CREATED = `
created as (
  insert into record (ledger_id, kind, handle, luid, change, hash, status, moment, domain, link, link_proven, document,
    judged)
  select $1::bigint, kind, handle, luid, change, hash, status, moment, domain, link, proven, document, judged
  from held where action = 'create' and not reused order by ord
  on conflict do nothing
  returning ledger_id, luid
)`;

// The key a record has is proven once and for as long as it keeps it, and its turn is that of when it took it.
const UPDATED = `
updated as (
  update record r set handle = w.handle, change = w.change, hash = w.hash, status = w.status, moment = w.moment,
    domain = w.domain, link = w.link, document = w.document, judged = w.judged,
    link_proven = w.proven or (r.link_proven and r.link = w.link),
    link_since = case when r.link is distinct from w.link then nextval('record_seq_seq') else r.link_since end
  from held w
  where w.action = 'update' and not w.reused and r.ledger_id = $1::bigint and r.luid = w.luid and r.change = w.change - 1
  returning w.ord
)`;

const DROPPED = `
dropped as (
  delete from record r using held w
  where w.action = 'drop' and not w.reused and r.ledger_id = $1::bigint and r.luid = w.luid and r.change = w.change - 1
  returning w.ord
)`;

const done = ({ create, update, drop }: Does) => {
  const stored = [
    create && `select held.ord from held join created using (luid) where action = 'create'`,
    update && 'select ord from updated',
    drop && 'select ord from dropped',
  ];
  return `
done as (
  ${stored.filter(Boolean).join('\n  union all ')}
)`;
};

const FORGOTTEN = `
forgotten as (
  delete from secret s using w join dropped using (ord) where s.ledger_id = $1::bigint and s.luid = w.luid
)`;

const HISTORY = `
history as (
  insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac)
  select $1::bigint, luid, change, kind, action, moment, hash, body, mac from w join done using (ord)
)`;

// Where another transaction used a proof for another record since this statement began, the null is refused and nothing
// of the batch is stored. In order, so that two batches with the same proofs do not wait for each other.
const USED = `
used as (
  insert into used_proof (ledger_id, digest, luid)
  select $1::bigint, digest, luid from (select unnest(proofs) as digest, luid from w join done using (ord)) u order by digest
  on conflict (ledger_id, digest) do update set luid = null where used_proof.luid <> excluded.luid
)`;

/**
 * How often each key was taken by a record. Whoever takes one that another has may come before it (store/signers.ts), which
 * no process that remembers the other could know; that of two at once the later one sees the earlier is what the row is
 * for.
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

/** What became of each write, and the newest version of its ledger: what is decided anew on an older one is lost again. */
const outcomes = ({ decide, register }: Does) => {
  const versions = ['l.version', decide && 'turn.version', (decide || register) && 'decided.version'].filter(Boolean);
  return `
select w.ord, ${versions.length > 1 ? `greatest(${versions.join(', ')})` : 'l.version'} as version,
  case when done.ord is not null then 'done'
       when held.ord is not null and w.reused then 'reused'
       when held.ord is not null and w.action = 'create' then 'duplicated'
       else 'stale' end as result
from w
  left join done using (ord)
  left join held using (ord)
  left join ledger l on l.id = $1::bigint${decide ? '\n  left join turn on true' : ''}${
    decide || register ? '\n  left join decided on true' : ''
  }
order by w.ord`;
};
