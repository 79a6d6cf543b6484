#!/usr/bin/env bash
# Make the sandbox work on this runner: bubblewrap 0.8 or newer, and user namespaces for ordinary users.
#
# Ubuntu 24.04 refuses namespaces to ordinary users (kernel.apparmor_restrict_unprivileged_userns). That is lifted
# for the life of the runner; where this user alone is refused them, backdate runs as root, which gives its rights up
# before it makes them. Where the kernel refuses everybody but root, there is no sandbox, and the step says so.
# Reads: BACKDATE_SYSCTL (/proc/sys). Writes: BACKDATE_AS_ROOT to $GITHUB_ENV.
set -euo pipefail

needed=0.8
settings=${BACKDATE_SYSCTL:-/proc/sys}

fail() {
  echo "::error title=backdate::$1"
  exit 4
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

version() {
  { bwrap --version 2>/dev/null || true; } | sed -n 's/^bubblewrap \([0-9][0-9.]*\).*/\1/p'
}

is_old() {
  [ -z "$1" ] || [ "$(printf '%s\n' "$1" "$needed" | sort -V | head -n 1)" != "$needed" ]
}

try_sandbox() {
  "$@" bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc true 2>/dev/null
}

# lift NAME WANTED: set a kernel setting that keeps ordinary users from namespaces, and say so.
lift() {
  local file="$settings/kernel/$1"
  if [ -e "$file" ] && [ "$(cat "$file")" != "$2" ]; then
    echo "backdate: kernel.$1 keeps ordinary users from namespaces; setting it to $2 until this runner ends"
    as_root sysctl -q -w "kernel.$1=$2" || echo "backdate: kernel.$1 cannot be set here"
  fi
}

found=$(version)
if is_old "$found"; then
  echo "backdate: bubblewrap $needed or newer is needed, and ${found:-none} is here; installing it"
  if ! { as_root apt-get update -q && as_root apt-get install -y -q --no-install-recommends bubblewrap; }; then
    fail "bubblewrap cannot be installed here: install bubblewrap $needed or newer in a step before"
  fi
  found=$(version)
fi
if is_old "$found"; then
  fail "bubblewrap $needed or newer is needed, and this system offers ${found:-none}: use ubuntu-24.04 or newer"
fi
echo "backdate: bubblewrap $found"

if try_sandbox env; then
  echo "backdate: the sandbox works"
  exit 0
fi
lift apparmor_restrict_unprivileged_userns 0
lift unprivileged_userns_clone 1
if try_sandbox env; then
  echo "backdate: the sandbox works"
  exit 0
fi
# As backdate does as root: it becomes the user that owns nothing, and then makes the namespaces.
if try_sandbox as_root setpriv --reuid 61100 --regid 61100 --clear-groups; then
  echo "backdate: this user gets no namespaces here; backdate runs as root and drops to an ordinary user"
  echo "BACKDATE_AS_ROOT=1" >>"$GITHUB_ENV"
  exit 0
fi
fail "the sandbox does not work here: bwrap cannot make user namespaces, and the kernel's settings cannot be changed (a container without the right to?)"
