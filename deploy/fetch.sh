#!/bin/sh
# Unpacks a Debian program, with the libraries that this machine does not have, into a folder.
#
#   sh deploy/fetch.sh FOLDER NAME
#
# Nothing is installed: that would need root, and start a service.

set -eu
folder=$1
name=$2

there() {
	case $name in
	postgresql) set -- "" "$folder"; for root; do ls "$root"/usr/lib/postgresql/*/bin/postgres && return; done ;;
	*) PATH="$PATH:/usr/sbin:$folder/usr/sbin:$folder/usr/bin" command -v "$name" ;;
	esac
}

unpack() {
	packages=$(apt-get install --simulate --no-install-recommends "$name" |
		sed -n 's/^Inst \([^ ]*\).*/\1/p')
	[ -n "$packages" ] || return 1
	# shellcheck disable=SC2086 # a list of names
	(cd "$folder" && apt-get download -q $packages && for file in *.deb; do dpkg -x "$file" .; done &&
		rm -f ./*.deb)
}

there >/dev/null 2>&1 && exit
mkdir -p "$folder"
unpack >/dev/null 2>&1 || { apt-get update -q >/dev/null 2>&1 && unpack >/dev/null 2>&1; }
there >/dev/null 2>&1
