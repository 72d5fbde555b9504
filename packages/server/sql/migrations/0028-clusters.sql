-- What is stored about one ledger by a function, so that in a cluster its node does it (decision 0052).
\ir ../acquire_lead_1.sql
