#!/bin/sh
# Makes the secrets of compose.yaml, once: files in ./secrets, beside it. Where one of them exists, nothing is changed, and the exit code is 1.
set -eu
cd "$(dirname "$0")/.."

for name in database_url master_key owner_url postgres_password serving_password; do
  if [ -e "secrets/$name" ]; then
    echo "secrets/$name is there already: nothing is changed" >&2
    exit 1
  fi
done

umask 077
if [ -L secrets ]; then
  echo 'secrets is a link: make it a folder' >&2
  exit 1
fi
mkdir -p secrets
# It keeps others out, also where it was there before.
chmod 0700 secrets
# They are in place all five or not at all.
made=$(mktemp -d secrets/new.XXXXXX)
trap 'rm -rf "$made"' EXIT
random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
# In a URL, letters and digits alone stand for themselves.
password() { random | tr -d '/+='; }
# The URL that somebody connects with, and the password that PostgreSQL knows him by.
role() {
  of=$(password)
  printf '%s' "$of" > "$made/$3"
  printf 'postgresql://%s:%s@database/countersign' "$1" "$of" > "$made/$2"
}

random > "$made/master_key"
role countersign owner_url postgres_password
role countersign_serving database_url serving_password
# The containers' users are not this one: the folder keeps others out, the files do not.
chmod 0444 "$made"/*
mv "$made"/* secrets/
echo 'Made secrets/master_key, and passwords and URLs of two roles of the database. Keep a copy of the first one elsewhere.'
