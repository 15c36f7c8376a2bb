#!/bin/sh
# Makes the files that the containers of docker-compose.yml share: its own CA, a certificate each for MongoDB and Valkey, the
# key of the replica set, the password of MongoDB's administrator, and folders that belong to the accounts of their services.
# Existing files are kept.
#   prepare.sh FOLDER    with the volumes ca, mongo, valkey, caddy and renderer in FOLDER
set -eu
umask 077
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The user ids of the official images: `mongodb` and `valkey` are 999, and the web server runs as 1000.
mongo=${MONGO_OWNER:-999:999}
valkey=${VALKEY_OWNER:-999:1000}
web=${WEB_OWNER:-1000:1000}
renderer=${RENDERER_OWNER:-10001:10001}

# 90 days before the CA expires, all certificates are made again.
if ! openssl x509 -in ca/ca.pem -noout -checkend 7776000 >/dev/null 2>&1; then
  echo 'Making certificates for MongoDB and Valkey …'
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=Lightbox internal CA' \
    -addext keyUsage=critical,keyCertSign -keyout "$work/ca.key" -out "$work/ca.pem" 2>/dev/null
  for name in mongo valkey; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
      -keyout "$work/$name.key" -out "$work/$name.csr" 2>/dev/null
    printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' "$name" >"$work/names"
    openssl x509 -req -in "$work/$name.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 3650 \
      -extfile "$work/names" -out "$work/$name.crt" 2>/dev/null
    cat "$work/$name.crt" "$work/$name.key" >"$work/$name.pem"
  done
  # The key of the CA is not stored, so no other certificate can be made with it.
  install -m 400 "$work/mongo.pem" mongo/server.pem
  install -m 400 "$work/valkey.pem" valkey/server.pem
  chown "$mongo" mongo/server.pem
  chown "$valkey" valkey/server.pem
  install -m 444 "$work/ca.pem" ca/ca.pem
fi
# The key of the replica set, and the password of MongoDB's administrator, which nobody needs to choose.
for secret in set.key root.password; do
  [ ! -e "mongo/$secret" ] || continue
  openssl rand -base64 48 >"$work/$secret"
  install -m 400 "$work/$secret" "mongo/$secret"
  chown "$mongo" "mongo/$secret"
done
# Files of an older version belong to root.
[ "$(stat -c %u caddy)" != 0 ] || chown -R "$web" caddy
# Workers connect to the socket in this folder. Only the renderer may create one. A folder that is the renderer's already is
# right: without more rights than CHOWN, its mode cannot be changed again.
if [ "$(stat -c %u renderer)" = 0 ]; then
  chmod 755 renderer
  chown "$renderer" renderer
fi
chmod 755 ca
chmod 711 mongo valkey
