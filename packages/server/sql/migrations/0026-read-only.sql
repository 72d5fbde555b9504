-- Whether a process has seen that the server is read-only, and does no write any more.
alter table process add column is_read_only boolean not null default false;
