#!/usr/bin/env bash
# Install backdate from the action's own checkout into an environment of its own.
#
# It runs in the folder of the project, whose venv.py or pip/ Python would import before its own: hence -I.
# Reads: GITHUB_ACTION_PATH, RUNNER_TEMP. Writes: BACKDATE and BACKDATE_CACHE to $GITHUB_ENV.
set -euo pipefail

python=
for name in python3 python3.14 python3.13 python3.12 python3.11; do
  if command -v "$name" >/dev/null && "$name" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python=$name
    break
  fi
done
if [ -z "$python" ]; then
  echo "::error title=backdate::no Python 3.11 or newer is here: use actions/setup-python in a step before"
  exit 4
fi

environment="$RUNNER_TEMP/backdate-environment"
"$python" -I -m venv "$environment"
"$environment/bin/python" -I -m pip install -q --disable-pip-version-check "$GITHUB_ACTION_PATH"
{
  echo "BACKDATE=$environment/bin/backdate"
  echo "BACKDATE_CACHE=$RUNNER_TEMP/backdate-cache"
} >>"$GITHUB_ENV"
"$environment/bin/backdate" --version
