#!/bin/sh
# Copies Node out of its official image, with the C and C++ libraries that it and the native packages load.
#   node-files.sh FOLDER
set -eu
out=$1
mkdir -p "$out/usr/local/bin" "$out/etc" "$out/app"
cp "$(command -v node)" "$out/usr/local/bin/node"
# Linux lets a process write into the memory of another one of its account, unless that runs a program which the account cannot
# read. So a file that takes over a decoder cannot take over the renderer too.
chmod 111 "$out/usr/local/bin/node"
# All libraries of these packages, because the native packages of npm load more of them than Node; and the licences.
dpkg -L libc6 libgcc-s1 libstdc++6 | grep -E '\.so[.0-9]*$|/copyright$' | grep -v /gconv/ \
  | xargs cp -P --parents -t "$out"
# Names are looked up in this order, and the accounts have names in lists of processes.
echo 'hosts: files dns' >"$out/etc/nsswitch.conf"
printf '%s\n' 'root:x:0:0:root:/:/usr/sbin/nologin' 'node:x:1000:1000:node:/:/usr/sbin/nologin' \
  'renderer:x:10001:10001:renderer:/:/usr/sbin/nologin' >"$out/etc/passwd"
printf '%s\n' 'root:x:0:' 'node:x:1000:' 'renderer:x:10001:' >"$out/etc/group"
install -d -m 1777 "$out/tmp"
