#!/bin/sh
# Makes the role that the server connects with, and that owns nothing: PostgreSQL runs it once, when it makes the database.
psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/serving_password`
create role countersign_serving login password :'password';
SQL
