#!/bin/sh
# Copies Node out of its official image, with the files that a running process needs and their licences.
#   node-files.sh FOLDER
set -eu
out=$1
node=$(command -v node)
mkdir -p "$out/usr/local/bin" "$out/etc" "$out/app"
cp "$node" "$out/usr/local/bin/node"
# The libraries of Node are also those of the native packages: the C and C++ runtime.
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$out$(dirname "$library")"
  cp -L "$library" "$out$library"
done
# Names are looked up in this order, and the accounts have names in lists of processes.
echo 'hosts: files dns' >"$out/etc/nsswitch.conf"
printf '%s\n' 'root:x:0:0:root:/:/usr/sbin/nologin' 'node:x:1000:1000:node:/:/usr/sbin/nologin' \
  'renderer:x:10001:10001:renderer:/:/usr/sbin/nologin' >"$out/etc/passwd"
printf '%s\n' 'root:x:0:' 'node:x:1000:' 'renderer:x:10001:' >"$out/etc/group"
install -d -m 1777 "$out/tmp"
for package in libc6 libgcc-s1 libstdc++6; do
  mkdir -p "$out/usr/share/doc/$package"
  cp "/usr/share/doc/$package/copyright" "$out/usr/share/doc/$package/copyright"
done
