#!/bin/sh
# Takes the password of the server's role from its secret, and becomes PgBouncer.
set -eu
umask 077
printf '"countersign_serving" "%s"\n' "$(cat /run/secrets/serving_password)" > /tmp/userlist.txt
exec pgbouncer /etc/countersign/pgbouncer.ini
