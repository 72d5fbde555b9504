-- The number of the newest migration that each process knows: what it may not serve beside is not run meanwhile.
alter table process add column schema text collate "C" not null default '0000';

-- The lock is held by the session that migrates.
drop table if exists kysely_migration_lock;
