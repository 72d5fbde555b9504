#!/bin/sh
# Takes the password of the database from its secret, and becomes PgBouncer.
set -eu
umask 077
printf '"countersign" "%s"\n' "$(cat /run/secrets/postgres_password)" > /tmp/userlist.txt
exec pgbouncer /etc/countersign/pgbouncer.ini
