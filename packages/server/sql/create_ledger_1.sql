-- Makes a ledger with the records that it is born with, all of it or nothing. Results:
--   done    made
--   taken   its handle or its luid is another's
--   moved   the epoch is another than the one that the version is of
create function create_ledger_1(
  ledger bigint,
  handle text,
  luid text,
  owners text[],
  version bigint,
  epoch text,
  writes store_write_1[],
  documents text[],
  judged_data text[],
  bodies text[],
  secrets store_secret_1[],
  sealed_values bytea[]
) returns text language plpgsql as $$
declare
  current_epoch text;
  stored store_outcome_1;
begin
  -- Locked until the commit, so that the new ledger joins the others when they are moved on to another epoch.
  select d.value into current_epoch from deployment d where d.name = 'epoch' for share;
  if current_epoch is distinct from epoch then
    return 'moved';
  end if;
  insert into ledger (id, handle, luid, owners, version) overriding system value values (ledger, handle, luid, owners, version)
  on conflict do nothing;
  if not found then
    return 'taken';
  end if;
  stored := store_batch_1(
    ledger => ledger, writes => writes, documents => documents, judged_data => judged_data, bodies => bodies,
    secrets => secrets, sealed_values => sealed_values);
  if 'done' <> any (stored.results) then
    raise exception 'Birth records were not stored: %', stored.results;
  end if;
  return 'done';
end
$$;
