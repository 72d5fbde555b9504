import { unnested } from './unnested.js';

const WRITES = [
  'ord int',
  'ledger_id bigint',
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
  'document text',
  'judged text',
  'body text',
  'needs int',
  'decides boolean',
  'mac text',
];
const STRANGERS = ['ord int', 'public text'];
const NEEDS = ['ord int', 'kind text', 'handle text'];

/** What the writes of a batch do: the statement has a part for each, and parts that have nothing to do cost as much. */
export interface Does {
  readonly create: boolean;
  readonly update: boolean;
  readonly drop: boolean;
  readonly decide: boolean;
}

/**
 * The statement that stores a batch of writes: one round trip, one transaction, one fsync, however many writes.
 *
 * Each write is judged (`held`) on what it was decided on, inside the statement that stores it, so that no
 * decision rests on a stale read: the ledger's version, strangers still unregistered, needed records still there (and
 * locked, so that they cannot be dropped meanwhile), the record still at the version before (compare-and-set), the
 * key still free (the unique index). A write that does not hold leaves its neighbours alone: it is only not `done`. Only
 * writes that change the rules are judged against one another too: they take turns.
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
    does.decide && DECIDED,
  ];
  return `with ${parts.filter(Boolean).join(', ')} ${outcomes(does)}`;
}

const WRITE = `
w as (
  select ord, ledger_id, version, action, kind, handle, luid, change,
         moment, hash, status, domain, link, document::jsonb, nullif(judged, '') as judged, body, needs, decides, mac
  from ${unnested('w', WRITES)}
),
stranger as (select * from ${unnested('s', STRANGERS, 1 + WRITES.length)}),
need as (select * from ${unnested('n', NEEDS, 1 + WRITES.length + STRANGERS.length)}),
met as (
  select n.ord from need n join w using (ord)
    join record r on r.ledger_id = w.ledger_id and r.kind = n.kind and r.handle = n.handle
  for key share of r
)`;

/**
 * Of the writes that change what a ledger is judged by, the first in the batch, and the ledger's version once no other
 * transaction is changing it. Two that were decided on the same version could each take away what the other rests on.
 */
const TURN = `
turn as (
  select first.ord, first.action, l.id as ledger_id, l.version
  from (
    select distinct on (w.ledger_id) w.ledger_id, w.ord, w.action
    from w join ledger l on l.id = w.ledger_id and l.version = w.version
    where w.decides order by w.ledger_id, w.ord
  ) first
    join ledger l on l.id = first.ledger_id
  for no key update of l
)`;

// What is created takes nothing from anybody, so that creates need not wait for one another.
const IN_TURN = `
    and (not w.decides or exists (
      select from turn t
      where t.ledger_id = w.ledger_id and t.version = w.version
        and (t.ord = w.ord or (t.action = 'create' and w.action = 'create'))))`;

const held = ({ decide }: Does) => `
held as (
  select w.* from w join ledger l on l.id = w.ledger_id
  where l.version = w.version${decide ? IN_TURN : ''}
    and not exists (
      select from stranger s join record r
        on r.ledger_id = w.ledger_id and r.kind in ('signer', 'signer-factor') and r.link = s.public
      where s.ord = w.ord)
    and (w.needs = 0 or w.needs = (select count(*) from met where met.ord = w.ord))
)`;

const CREATED = `
created as (
  insert into record (ledger_id, kind, handle, luid, change, hash, status, moment, domain, link, document, judged)
  select ledger_id, kind, handle, luid, change, hash, status, moment, domain, link, document, judged
  from held where action = 'create' order by ord
  on conflict do nothing
  returning ledger_id, luid
)`;

const UPDATED = `
updated as (
  update record r set handle = w.handle, change = w.change, hash = w.hash, status = w.status, moment = w.moment,
    domain = w.domain, link = w.link, document = w.document, judged = w.judged
  from held w
  where w.action = 'update' and r.ledger_id = w.ledger_id and r.luid = w.luid and r.change = w.change - 1
  returning w.ord
)`;

const DROPPED = `
dropped as (
  delete from record r using held w
  where w.action = 'drop' and r.ledger_id = w.ledger_id and r.luid = w.luid and r.change = w.change - 1
  returning w.ord
)`;

const done = ({ create, update, drop }: Does) => {
  const stored = [
    create && `select held.ord from held join created using (ledger_id, luid) where action = 'create'`,
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
  delete from secret s using w join dropped using (ord) where s.ledger_id = w.ledger_id and s.luid = w.luid
),
remembered as (
  insert into dropped_record (ledger_id, kind, hash, luid)
  select made.ledger_id, made.kind, made.hash, made.luid
  from w join dropped using (ord)
    join change made on made.ledger_id = w.ledger_id and made.luid = w.luid and made.change = 1
)`;

const HISTORY = `
history as (
  insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac)
  select ledger_id, luid, change, kind, action, moment, hash, body, mac from w join done using (ord)
)`;

const DECIDED = `
decided as (
  update ledger set version = version + 1
  where id in (select ledger_id from w join done using (ord) where decides)
  returning id as ledger_id, version
)`;

/** What became of each write, and the newest version of its ledger: what is decided anew on an older one is lost again. */
const outcomes = ({ decide }: Does) => `
select w.ord, ${decide ? 'greatest(l.version, turn.version, decided.version)' : 'l.version'} as version,
  case when done.ord is not null then 'done'
       when held.ord is not null and w.action = 'create' then 'duplicated'
       else 'stale' end as result
from w
  left join done using (ord)
  left join held using (ord)
  left join ledger l on l.id = w.ledger_id${
    decide
      ? `
  left join turn on turn.ledger_id = w.ledger_id
  left join decided on decided.ledger_id = w.ledger_id`
      : ''
  }
order by w.ord`;
