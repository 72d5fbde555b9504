-- The functions that store batches of writes, decisions on intents, new ledgers and what becomes of deliveries, with the types of their
-- parameters. Their names carry a version, since two releases run side by side during an upgrade: a function that is changed gets the
-- next one, and the one before goes a release later.
\ir ../store_batch_1.sql
\ir ../settle_batch_1.sql
\ir ../create_ledger_1.sql
\ir ../deliveries_1.sql
\ir ../delivery_retries_1.sql
