-- Erasure: the texts of a dropped record are forgotten (interface/records#erase).
--
-- The history stays append-only but for one update: a version loses its text, with all that was made of it alone, and only
-- once a later version of the record says so.

alter table change alter column body drop not null, alter column hash drop not null;
alter table change drop constraint change_action_check;
alter table change add constraint change_action_check check (action in ('create', 'update', 'drop', 'erase'));
-- Of a version that is erased, nothing is left but that it was.
alter table change add constraint change_is_whole_or_erased check (
  num_nulls(body, hash) in (0, 2) and (body is not null or (mac is null and cut is null and action <> 'erase')));

drop trigger append_only on change;
create trigger append_only before delete or truncate on change
  for each statement execute function refuse_rewriting_history();
create function refuse_rewriting_but_erasure() returns trigger language plpgsql as $$
begin
  if old.body is not null and new.body is null
    and (new.ledger_id, new.luid, new.change, new.kind, new.action, new.moment)
      = (old.ledger_id, old.luid, old.change, old.kind, old.action, old.moment)
    -- The last change of the record: to look for one among all would make the work of an erasure quadratic.
    and (
      select c.action from change c where c.ledger_id = old.ledger_id and c.luid = old.luid
      order by c.change desc limit 1) = 'erase'
  then
    return new;
  end if;
  raise exception 'history is append-only: % of change refused', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger append_only_but_erasure before update on change
  for each row execute function refuse_rewriting_but_erasure();

-- What the proofs of erased records were used for: as used_proof has it, under the master key. Nobody without that key can
-- find out by trying what was signed.
create table erased_proof (
  ledger_id bigint not null,
  digest uuid not null,
  luid text collate "C" not null,
  primary key (ledger_id, digest)
);

alter table delivery drop constraint delivery_status_check;
alter table delivery add constraint delivery_status_check
  check (status in ('pending', 'running', 'delivered', 'failed', 'cancelled', 'erased'));

-- Samples of the statistics outlive an erasure. The planner needs none of these: rows are found by other columns, or by an
-- index that has few of them.
alter table change alter column hash set statistics 0, alter column body set statistics 0;
alter table record alter column hash set statistics 0, alter column judged set statistics 0;
alter table open_intent alter column state set statistics 0;
alter table schedule alter column hash set statistics 0;
alter table delivery alter column linked set statistics 0, alter column event set statistics 0,
  alter column proofs set statistics 0, alter column given_up set statistics 0;
alter table log_leaf alter column commitments set statistics 0, alter column salts set statistics 0;
alter table unsealed alter column leaves set statistics 0;
-- What was sampled before stays otherwise: no later analyze looks at these columns. Only a superuser may.
do $$
begin
  delete from pg_statistic s using pg_attribute a
  where a.attrelid = s.starelid and a.attnum = s.staattnum and a.attstattarget = 0
    and s.starelid in (
      'change'::regclass, 'record'::regclass, 'delivery'::regclass, 'open_intent'::regclass, 'schedule'::regclass);
exception when insufficient_privilege then null;
end
$$;
