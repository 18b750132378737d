#!/bin/sh
# Makes the secrets that docker-compose.yml reads, each in a file of its own under ./secrets. Files that are there stay as they are,
# so it is harmless to run it again. A password of your own choice goes into its file before: any characters may stand in it.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p secrets
# Only this user enters the folder. The files themselves are mounted one by one, and read by the containers' own users.
chmod 700 secrets
umask 022

random() { openssl rand -hex 24; }
keep() { [ -s "secrets/$1" ] || { printf '%s\n' "$2" > "secrets/$1" && echo "made secrets/$1"; }; }
# Percent-encodes every byte that may not stand in the user part of a URL (RFC 3986, section 3.2.1).
encoded() {
  tr -d '\n' < "secrets/$1" | od -An -v -tx1 | tr -s ' ' '\n' | sed '/^$/d' | while read -r byte; do
    case $byte in
      2d | 2e | 5f | 7e | 3[0-9] | 4[1-9a-f] | 5[0-9a] | 6[1-9a-f] | 7[0-9a]) printf "\\$(printf %o "0x$byte")" ;;
      *) printf '%%%s' "$byte" ;;
    esac
  done
}

keep postgres_password "$(random)"
keep posthorn_password "$(random)"
keep temporal_password "$(random)"
keep redis_password "$(random)"
keep database_url "postgresql://posthorn:$(encoded posthorn_password)@postgres:5432/posthorn"
keep redis_url "redis://:$(encoded redis_password)@redis:6379"
keep encryption_keys "k1:$(openssl rand -base64 32)"
