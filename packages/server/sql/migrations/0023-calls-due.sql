-- Calls for intents among the deliveries that wait, found whatever number of events waits before them.
create index delivery_calls_due on delivery (ledger_id, target, due) where due is not null and purpose is not null;
