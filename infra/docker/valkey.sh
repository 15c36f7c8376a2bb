#!/bin/sh
# Writes Valkey's accounts into a file and then runs a command, so that no password is among its arguments.
#   valkey.sh FILE COMMAND…
set -eu
umask 077
file=$1
shift
hash=$(printf '%s' "$REDIS_PASSWORD" | sha256sum | cut -d ' ' -f 1)
unset REDIS_PASSWORD
# The product may neither administer the server nor empty it. Clients without an account may only send PING.
cat >"$file" <<END
user default on nopass -@all +ping
user lightbox on #$hash ~* &* +@all -@admin -@dangerous +info +client|setname +client|setinfo +client|getname
END
exec "$@"
