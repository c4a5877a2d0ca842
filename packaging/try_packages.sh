#!/usr/bin/env bash
# Installs the Debian package into a clean Debian, uses it as a new user, removes it and looks for what is left; then builds
# the container on the same Debian and uses it read-only, without network, as a user without privileges.
#
#   packaging/try_packages.sh dist/incrowd_0.1.0_amd64.deb
#
# Needs root, mmdebstrap, unshare and buildah. Ends with "packages: N passed, 0 failed".
set -euo pipefail
cd "$(dirname "$0")/.."
package="$(realpath "$1")"
work="$(mktemp -d)"
image="incrowd-try-$$"
base="incrowd-base-$$"
container=""
clean_up() {
  [ -z "$container" ] || buildah rm "$container" >/dev/null || true
  buildah rmi "localhost/$image" "localhost/$base" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean_up EXIT
passed=0
pass() { passed=$((passed + 1)); echo "passed: $1"; }

# check finds something in the sample (1), the others succeed.
read -r -d '' use <<'USE' || true
set -e
cd /data
incrowd sample --rows 500
incrowd check census.csv > checked.txt || test $? -eq 1
incrowd anonymize census.csv --qi age,sex,education --others remove --k 5 --effort 1 -o release
incrowd verify release
USE

mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
mkdir "$work/root" && tar -xf "$work/base.tar" -C "$work/root"
inside() { chroot "$work/root" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp "$@"; }

list() { (cd "$work/root" && find . -path ./var -prune -o -path ./tmp -prune -o -path ./data -prune -o -print | sort); }
list > "$work/before"
cp "$package" "$work/root/tmp/incrowd.deb"
inside dpkg --install /tmp/incrowd.deb >/dev/null
rm "$work/root/tmp/incrowd.deb"
pass "the package installs in a clean Debian without other packages"

mkdir -m 777 "$work/root/data"
inside setpriv --reuid=65534 --regid=65534 --clear-groups --reset-env sh -c "$use" | tail -n 2
pass "check, anonymize and verify as a user without privileges"
test -s "$work/root/usr/share/man/man1/incrowd-anonymize.1.gz"
inside bash -n /usr/share/bash-completion/completions/incrowd
test -s "$work/root/usr/share/doc/incrowd/THIRD-PARTY-LICENSES"
pass "man pages, completions and licences are there"

inside dpkg --purge incrowd >/dev/null
list > "$work/after"
diff "$work/before" "$work/after"
pass "nothing is left after it is removed"

container="$(buildah from scratch)"
buildah add --quiet "$container" "$work/base.tar" / >/dev/null
buildah commit --quiet "$container" "localhost/$base" >/dev/null
mkdir -p "$work/context/dist" && cp "$package" "$work/context/dist/" && cp Containerfile "$work/context/"
buildah build --quiet --isolation chroot --build-arg "BASE=localhost/$base" --tag "localhost/$image" "$work/context" >/dev/null
buildah rm "$container" >/dev/null
pass "the container builds"

container="$(buildah from "localhost/$image")"
test "$(buildah inspect --format '{{.OCIv1.Config.User}}' "$container")" = custodian
mounted="$(buildah mount "$container")"
mkdir -m 777 "$work/data"
# The file system read-only but for /data and /tmp, no network, as the image's user.
unshare --mount --net --pid --fork bash -c '
  set -e
  mount --bind "$1" "$1" && mkdir -p "$1/data"
  mount -o remount,ro,bind "$1"
  mount --bind "$2" "$1/data" && mount -t tmpfs tmpfs "$1/tmp"
  chroot "$1" /usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups --reset-env sh -c "! touch /usr/x 2>/dev/null; $3" | tail -n 2
' use "$mounted" "$work/data" "$use"
pass "the container runs read-only, without network, as a user without privileges"

echo "packages: $passed passed, 0 failed"
