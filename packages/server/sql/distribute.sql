-- Spreads the tables over the nodes of Citus by ledger: what a ledger has is on one node. What is spread already is left alone. Rows
-- move to the nodes, so servers are stopped meanwhile.
--
-- A statement about one ledger goes to its node, where Citus plans it anew each time, and not every statement can be. So the functions
-- that store (decision 0052) run on tables of the node itself: each has, for each shard, a schema of views named as the tables are, and
-- of copies of the functions. They are planned and kept as on plain PostgreSQL.

create schema if not exists cluster;

-- Sessions look into it first: whoever owns it decides what the servers call.
do $$
declare
  owner constant name := (select pg_get_userbyid(n.nspowner) from pg_namespace n where n.nspname = 'cluster');
begin
  if owner <> current_user then
    raise exception 'The schema cluster belongs to %, and not to the role of DATABASE_URL: look who made it, and drop it.', owner;
  end if;
end
$$;

do $$
declare
  one record;
  triggers text[];
  trigger_text text;
begin
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  -- The triggers that keep the history look at no other row than the one at hand and those of its record.
  perform set_config('citus.enable_unsafe_triggers', 'on', true);
  -- Small, and read with every ledger: on each node. Leases, used tokens, invitations, and what migrations
  -- ran are on the first node alone.
  for one in
    select t.name from unnest(array['deployment', 'ledger', 'master_key']) as t (name)
    where not exists (select from pg_dist_partition p where p.logicalrelid = t.name::regclass)
  loop
    perform create_reference_table(one.name::regclass);
    perform truncate_local_data_after_distributing_table(one.name::regclass);
  end loop;
  -- The trigger that keeps the master key from being replaced under a writer: it locks the row of its own node, and whoever replaces
  -- the key waits for all nodes.
  execute format('create or replace function cluster.refuse_closed_key() returns trigger language plpgsql as %L',
    (select replace(p.prosrc, 'from master_key', format('from public.master_key_%s', s.shardid))
     from pg_proc p, pg_dist_shard s
     where p.oid = 'public.refuse_closed_key'::regproc and s.logicalrelid = 'public.master_key'::regclass));
  for one in
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'lease' and a.attname = 'ledger_id'
      and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
    -- The others are placed as this one is.
    order by c.relname <> 'change', c.relname
  loop
    -- Triggers refuse that the rows which have moved are deleted here.
    triggers := array(
      select regexp_replace(
        -- Of statements only truncate: Citus makes these triggers on shards that it moves, and there they would refuse what the
        -- triggers of rows below allow.
        regexp_replace(pg_get_triggerdef(t.oid), ' BEFORE .* OR TRUNCATE ', ' BEFORE TRUNCATE '),
        '(public\.)?refuse_closed_key', 'cluster.refuse_closed_key') from pg_trigger t
      where t.tgrelid = one.name::regclass and not t.tgisinternal);
    for trigger_text in select t.tgname from pg_trigger t where t.tgrelid = one.name::regclass and not t.tgisinternal loop
      execute format('drop trigger %I on %I', trigger_text, one.name);
    end loop;
    perform create_distributed_table(one.name::regclass, 'ledger_id',
      colocate_with => case when one.name = 'change' then 'none' else 'change' end);
    perform truncate_local_data_after_distributing_table(one.name::regclass);
    foreach trigger_text in array triggers loop
      execute trigger_text;
    end loop;
  end loop;
end
$$;

-- History is append-only: on plain PostgreSQL by triggers of statements. Citus makes triggers of rows on shards, and those of statements on
-- none but the shards that it moves.
-- Rows of an import that is being discarded may be deleted (export#import): the deployment has a mark of it, and there is no ledger of that
-- number. The trigger reads the copies of both tables that its own node has.
do $$
declare
  one record;
begin
  perform set_config('citus.enable_unsafe_triggers', 'on', true);
  execute format('create or replace function cluster.refuse_rewriting_history() returns trigger language plpgsql
    set search_path = pg_catalog as %L', format('
    begin
      if tg_op = ''DELETE''
        and exists (
          select from public.deployment_%s d
          where case when d.name like ''import:%%'' then
            (d.value::jsonb ->> ''id'')::bigint = old.ledger_id and (d.value::jsonb ->> ''isDiscarded'')::boolean end)
        and not exists (select from public.ledger_%s l where l.id = old.ledger_id)
      then
        return old;
      end if;
      raise exception ''history is append-only: %% of %% refused'', tg_op, regexp_replace(tg_table_name, ''_[0-9]+$'', '''')
        using errcode = ''restrict_violation'';
    end',
    (select s.shardid from pg_dist_shard s where s.logicalrelid = 'public.deployment'::regclass),
    (select s.shardid from pg_dist_shard s where s.logicalrelid = 'public.ledger'::regclass)));
  for one in
    select g.name, g.event from (values ('change', 'delete'), ('entry', 'update or delete')) g (name, event)
    where not exists (select from pg_trigger t where t.tgrelid = g.name::regclass and t.tgname = 'append_only_rows')
  loop
    execute format('create trigger append_only_rows before %s on %I for each row execute function cluster.refuse_rewriting_history()',
      one.event, one.name);
  end loop;
end
$$;

-- The functions of this release: those that migrations have made.
create or replace view cluster.functions as
  select p.oid, p.proname as name, p.oid::regprocedure::text as signature, p.prorettype, p.proargnames, p.pronargs, p.proretset,
    coalesce((p.proargnames)[1] = 'ledger', false) and p.provolatile = 'v' as changes
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
    -- What runs with the owner's rights is called where it is.
    and not p.prosecdef
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

-- What a ledger stores, as the function of the migrations has it: Citus cannot plan statements of functions in SQL.
do $$
begin
  execute format('create or replace function cluster.stored_bytes(ledger bigint) returns bigint language plpgsql stable as %L',
    (select format('declare answer bigint; begin %s into answer; return answer; end', p.prosrc)
     from pg_proc p where p.oid = 'public.stored_bytes(bigint)'::regprocedure));
end
$$;

-- How many migrations have run: each time, nodes make schemas anew.
do $$
begin
  execute format('create or replace function cluster.release() returns bigint language sql immutable as %L',
    'select ' || (select count(*) from kysely_migration) || '::bigint');
end
$$;

-- The name of the schema of a shard by its table of changes: a move makes that anew, also where the shard was before.
create or replace function cluster.name_of(shard bigint, changes oid) returns text language plpgsql stable as $$
begin
  return format('ledgers_%s_%s_%s', cluster.release(), shard, changes);
end
$$;

-- Makes the schema of a shard, on the node that has it.
create or replace function cluster.make_schema(shard bigint, changes oid) returns void language plpgsql as $$
declare
  place constant text := cluster.name_of(shard, changes);
  -- Sequences stay from release to release.
  numbers constant text := format('numbers_%s_%s', shard, changes);
  path constant text := format('%I, %I, public', place, numbers);
  one record;
  col record;
  waiting bigint;
  definition text;
begin
  -- Those that come at once take turns.
  perform pg_advisory_xact_lock(4207003);
  -- It is of this node alone.
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  -- What a shard that was moved has left behind.
  for one in
    select n.nspname as name from pg_namespace n
    where n.nspname ~ '^(ledgers|numbers)(_[0-9]+)+$'
      and not exists (select from pg_class c where c.oid = substring(n.nspname from '[0-9]+$')::oid)
  loop
    execute format('drop schema %I cascade', one.name);
  end loop;
  execute format('create schema if not exists %I', place);
  execute format('create schema if not exists %I', numbers);
  for one in
    select s.logicalrelid::regclass as of, c.relname as name, s.shardid
    from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid
      join pg_dist_partition p on p.logicalrelid = s.logicalrelid
      join pg_dist_shard own on own.shardid = shard and own.shardminvalue = s.shardminvalue
      join pg_dist_partition op on op.logicalrelid = own.logicalrelid and op.colocationid = p.colocationid
  loop
    execute format('create or replace view %I.%I as select * from public.%I', place, one.name, one.name || '_' || one.shardid);
    for col in
      select a.attname as name, s.relname as sequence, pg_get_expr(d.adbin, d.adrelid) as value
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        left join pg_class s on a.attidentity <> '' and s.oid = pg_get_serial_sequence(one.of::text, a.attname)::regclass
      where a.attrelid = one.of and a.attnum > 0 and not a.attisdropped and (a.attidentity <> '' or d.adbin is not null)
    loop
      if col.sequence is not null then
        -- It begins at the clock, in microseconds, and so above what the node before has drawn. The log is sealed in the order of
        -- its queue: that is compared as well, whatever the clocks say.
        waiting := 0;
        if one.name = 'unsealed' then
          execute format('select coalesce(max(%I), 0) from public.%I', col.name, one.name || '_' || one.shardid) into waiting;
        end if;
        execute format('create sequence if not exists %I.%I start %s', numbers, col.sequence,
          greatest(waiting + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint));
        col.value := format('nextval(%L)', format('%I.%I', numbers, col.sequence));
      end if;
      execute format('alter view %I.%I alter column %I set default %s', place, one.name, col.name, col.value);
    end loop;
  end loop;
  perform set_config('search_path', 'public', true);
  for one in select c.relname as name, pg_get_viewdef(c.oid) as text from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and c.relname = 'version'
  loop
    perform set_config('search_path', path, true);
    execute format('create or replace view %I.%I as %s', place, one.name, one.text);
  end loop;
  perform set_config('search_path', path, true);
  for one in select * from cluster.functions loop
    definition := replace(pg_get_functiondef(one.oid), 'FUNCTION public.', format('FUNCTION %I.', place));
    -- What Citus reads here within a transaction of several statements, it forgets to end with it: a later commit fails by that, or
    -- crashes the node. So the row of the ledger is read where it stands.
    definition := replace(definition, 'from ledger l ', format('from public.ledger_%s l ', cluster.ledger_shard()));
    definition := replace(definition,
      'update ledger l set version = l.version + 1 where l.id = ledger returning l.version into rules_version',
      'rules_version := cluster.raise_version(ledger)');
    execute definition;
    execute format('alter function %I.%s set search_path = %s', place, regexp_replace(one.signature, '^public\.', ''), path);
  end loop;
end
$$;

-- The number of the only shard of the table of ledgers, which each node has.
create or replace function cluster.ledger_shard() returns bigint language sql stable as $$
  select s.shardid from pg_dist_shard s where s.logicalrelid = 'public.ledger'::regclass
$$;

-- Raises the version of the rules of a ledger on all nodes, and returns it. In a transaction of several statements a node may write to
-- itself alone: there whoever began it has raised the version before, on all nodes.
do $$
begin
  execute format('create or replace function cluster.raise_version(ledger bigint) returns bigint language plpgsql as %L', format('
    declare
      raised bigint;
    begin
      select l.version into raised from public.ledger_%s l
      where l.id = $1 and l.xmin = pg_current_xact_id_if_assigned()::xid;
      if raised is null then
        update public.ledger l set version = l.version + 1 where l.id = $1 returning l.version into raised;
      end if;
      return raised;
    end', cluster.ledger_shard()));
end
$$;

-- Starts of the other nodes, in their order, as servers have examined them (store/nodes/guard.ts): a node that has gone back in time is
-- found by these. On the first node alone.
create table if not exists cluster.node_start (
  -- Its group in pg_dist_node.
  node int,
  number int,
  -- Seconds since 1970.
  start text not null,
  -- System identifier and timeline; start/ and the start where the role may not read these.
  name text not null,
  -- Of its write-ahead log, when it was examined; 0 where the role may not read it.
  position bigint not null,
  -- The highest position that a server has seen since.
  passed bigint not null,
  -- The epoch that its ledgers were moved to; null where nothing was lost.
  epoch bigint,
  primary key (node, number)
);

-- The start of this node that was examined last; null where none was.
do $$
begin
  if to_regprocedure('cluster.admitted()') is null then
    create function cluster.admitted() returns timestamptz language sql immutable as 'select null::timestamptz';
  end if;
end
$$;

-- Admits this node, whose start at that moment was examined: functions store there again. A function that always answers the same costs nothing.
create or replace function cluster.admit(start text) returns void language plpgsql as $$
begin
  if extract(epoch from pg_postmaster_start_time())::text <> start then
    raise exception 'The node has restarted.' using errcode = 'cannot_connect_now';
  end if;
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  execute format('create or replace function cluster.admitted() returns timestamptz language sql immutable as %L',
    format('select %L::timestamptz', pg_postmaster_start_time()));
end
$$;

-- Makes the tables that each node has, on a node that has gone back in time, what they are here.
create or replace function cluster.renew_copies(host text, port int) returns void language plpgsql as $$
declare
  one record;
  copy json;
  commands text := 'set_config(''lock_timeout'', ''5s'', true), set_config(''citus.enable_manual_changes_to_shards'', ''on'', true);';
  answer record;
begin
  perform set_config('citus.enable_manual_changes_to_shards', 'on', true);
  for one in
    select format('public.%I', c.relname || '_' || s.shardid) as shard
    from pg_dist_partition p join pg_dist_shard s using (logicalrelid) join pg_class c on c.oid = s.logicalrelid
    where p.partmethod = 'n' and p.repmodel = 't' order by c.relname
  loop
    -- Nobody writes to it in between.
    execute format('lock table %s in share row exclusive mode', one.shard);
    execute format('select coalesce(json_agg(r), ''[]'') from %s r', one.shard) into copy;
    commands := commands || format(
      'delete from %1$s; insert into %1$s overriding system value select * from json_populate_recordset(null::%1$s, %2$L);',
      one.shard, copy);
  end loop;
  select * into answer from master_run_on_worker(array[host], array[port],
    array[format('do %L', 'begin perform ' || commands || ' end')], false);
  if not answer.success then
    raise exception 'What each node has was not copied to %:%: %', host, port, answer.result;
  end if;
end
$$;

-- The schema of the shard that has a ledger. Until the transaction ends, the shard stays on this node.
create or replace function cluster.schema_of(ledger bigint) returns text language plpgsql as $$
declare
  shard constant bigint := get_shard_id_for_distribution_column('public.change'::regclass, ledger);
  changes oid;
  place text;
begin
  -- It may have lost what the caller has read: a server examines it first.
  if cluster.admitted() is distinct from pg_postmaster_start_time() and (select g.groupid from pg_dist_local_group g) <> 0 then
    raise exception 'The node has restarted, and no server has examined it yet.' using errcode = 'cannot_connect_now';
  end if;
  -- What is read and written beside is on every node.
  perform set_config('citus.allow_nested_distributed_execution', 'on', true);
  -- ShareLock: a move takes an exclusive one for its last step.
  perform lock_shard_metadata(5, array[shard]);
  -- A moved shard leaves its tables here for a while, for nobody to write to.
  select to_regclass(format('public.%I', 'change_' || shard)) into changes from pg_dist_placement p
  where p.shardid = shard and p.groupid = (select g.groupid from pg_dist_local_group g);
  if changes is null then
    raise exception 'The shard % has moved to another node.', shard using errcode = 'serialization_failure';
  end if;
  place := cluster.name_of(shard, changes);
  if to_regnamespace(place) is null then
    perform cluster.make_schema(shard, changes);
  end if;
  return place;
end
$$;

-- With a function, Citus takes to the nodes the types of its signature, and not those that its body alone names: where the database was
-- migrated before it had Citus, no node has them. So a function that has all of them in its signature goes first.
do $$
declare
  types constant text := (
    select string_agg(format('public.%I', t.typname), ', ') from pg_type t join pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'public'::regnamespace and c.relkind = 'c' and t.typowner = current_user::regrole
      and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
      and not exists (select from pg_dist_object o where o.classid = 'pg_type'::regclass and o.objid = t.oid));
begin
  if types is not null then
    execute format('create function cluster.types(%s) returns void language plpgsql as %L', types, 'begin end');
    perform create_distributed_function(format('cluster.types(%s)', types)::regprocedure);
    execute format('drop function cluster.types(%s)', types);
  end if;
end
$$;

-- Of each function that changes rows of a ledger, one of that name which runs on the node of the ledger, and calls the copy there.
do $$
declare
  one record;
begin
  for one in
    select f.signature from unnest(array['cluster.release()', 'cluster.name_of(bigint, oid)', 'cluster.ledger_shard()',
      'cluster.admitted()', 'cluster.admit(text)', 'cluster.raise_version(bigint)', 'cluster.make_schema(bigint, oid)', 'cluster.schema_of(bigint)']) f (signature)
    where not exists (
      select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = f.signature::regprocedure)
  loop
    perform create_distributed_function(one.signature::regprocedure);
  end loop;
  for one in
    select f.* from cluster.functions f
    where not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = f.oid)
  loop
    perform create_distributed_function(one.signature::regprocedure);
  end loop;
  for one in
    select f.* from cluster.functions f
    where f.changes and to_regprocedure('cluster.' || regexp_replace(f.signature, '^public\.', '')) is null
  loop
    execute format('create function cluster.%I(%s) returns %s language plpgsql as %L', one.name,
      pg_get_function_arguments(one.oid), one.prorettype::regtype,
      case when one.prorettype = 'void'::regtype then format(
        'begin execute format(''select %%I.%I(%s)'', cluster.schema_of($1)) using %s; end', one.name,
        (select string_agg('$' || n, ', ') from generate_series(1, one.pronargs) n),
        (select string_agg('$' || n, ', ') from generate_series(1, one.pronargs) n))
      else format(
        'declare answer %s; begin execute format(''select * from %%I.%I(%s)'', cluster.schema_of($1)) into answer using %s; return answer; end',
        one.prorettype::regtype, one.name,
        (select string_agg('$' || n, ', ') from generate_series(1, one.pronargs) n),
        (select string_agg('$' || n, ', ') from generate_series(1, one.pronargs) n)) end);
    perform create_distributed_function(
      ('cluster.' || regexp_replace(one.signature, '^public\.', ''))::regprocedure, 'ledger', colocate_with => 'change',
      -- In a transaction of several statements as well.
      force_delegation => true);
  end loop;
  execute format('alter database %I set search_path = cluster, public', current_database());
  -- Citus waits for a silent node for 30 s, unless set: as long as a statement of the server may take, and longer than one of background
  -- work, which would never know that it was the node.
  if current_setting('citus.node_connection_timeout') = '30s' then
    execute format('alter database %I set citus.node_connection_timeout = %L', current_database(), '2s');
  end if;
end
$$;
