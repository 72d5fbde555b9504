-- Statistics targets of `change` and `entry`, a quarter of PostgreSQL's default: rows are found by the key, so the planner needs
-- little more. Analyzing both took a fifth of PostgreSQL's time while a ledger was young (decision 0026). Every column is named:
-- one that is not has the default, which makes the sample large again.

alter table change
  alter column ledger_id set statistics 25, alter column luid set statistics 25, alter column change set statistics 25,
  alter column kind set statistics 25, alter column action set statistics 25, alter column cut set statistics 25,
  alter column moment set statistics 0, alter column mac set statistics 0;
alter table entry
  alter column ledger_id set statistics 25, alter column wallet set statistics 25, alter column symbol set statistics 25,
  alter column version set statistics 25, alter column intent set statistics 0, alter column change set statistics 0,
  alter column available_by set statistics 0, alter column reserved_by set statistics 0,
  alter column available set statistics 0, alter column reserved set statistics 0, alter column moment set statistics 0;
-- What was sampled of these columns before would outlive an erasure: no later analyze looks at them. Only a superuser may.
do $$
begin
  delete from pg_statistic s using pg_attribute a
  where a.attrelid = s.starelid and a.attnum = s.staattnum and a.attstattarget = 0
    and s.starelid in ('change'::regclass, 'entry'::regclass);
exception when insufficient_privilege then null;
end
$$;
