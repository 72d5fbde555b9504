-- Servers that know 0029 may serve beside it.
-- Whether a process has seen that an operator drains it, and has handed over what it did.
alter table process add column is_drained boolean not null default false;
