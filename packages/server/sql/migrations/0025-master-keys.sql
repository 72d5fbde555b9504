-- The master keys that values in `secret` are sealed under: one, or two while a rotation is under way. The first byte of a sealed
-- value is the number of its key. The check value tells keys apart, and reveals nothing of them.
create table master_key (
  number int primary key check (number between 1 and 255),
  key_check text collate "C" not null unique,
  -- Whether values may still be sealed under it.
  is_open boolean not null default true
);

insert into master_key (number, key_check) select 1, value from deployment where name = 'master-key-check';

-- Whoever seals waits for a rotation that closes a key, and the other way round: nothing is sealed under a closed key after that.
create function refuse_closed_key() returns trigger language plpgsql as $$
begin
  perform from master_key where number = get_byte(new.sealed, 0) and is_open for share;
  if not found then
    raise exception 'The value is sealed under master key %, which is closed: this process lacks the newest one.',
      get_byte(new.sealed, 0) using errcode = '57CMK';
  end if;
  return new;
end
$$;

create trigger open_keys before insert or update of sealed on secret for each row execute function refuse_closed_key();

-- The processes that serve, each with what it holds; one that is gone is seen no more.
create table process (
  name text collate "C" primary key,
  host text not null,
  build text not null,
  -- Check values of the master keys that it holds, and the number of the one that it seals under.
  keys text[] not null,
  sealing int not null,
  seen timestamptz not null default clock_timestamp()
);
