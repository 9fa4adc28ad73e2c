#!/bin/sh
# Makes the passwords and keys of deploy/compose.yaml, once; what is there stays. The folder is yours alone. Its files can
# be read by all, because a secret of Compose keeps the owner that it has here, and servers in containers are other users.
set -eu
umask 077
folder="$(dirname "$0")/secrets"
mkdir -p "$folder"
chmod 700 "$folder"
make() { [ -e "$folder/$1" ] || { cat > "$folder/$1"; chmod 444 "$folder/$1"; }; }
openssl rand -base64 48 | tr -d '\n' | make mongo-keyfile
openssl rand -hex 24 | tr -d '\n' | make mongo-password
openssl rand -hex 24 | tr -d '\n' | make postgres-password
printf 'mongodb://evolve:%s@mongo:27017/evolve?replicaSet=rs0&authSource=admin' "$(cat "$folder/mongo-password")" | make mongodb-uri
openssl rand -hex 24 | tr -d '\n' | make page-token
# You write into this one.
printf '{}\n' | make model-keys.json
chmod 644 "$folder/model-keys.json"
echo "secrets are in $folder"
