#!/usr/bin/env bash
# Check the project, and where it broke search for the culprits. The last step of the action ends with the status.
#
# Reads: BACKDATE, BACKDATE_AS_ROOT, SOURCE, AS, FROM, TO, ARGUMENTS, BISECT, RUNNER_TEMP.
# Writes: RUNNER_TEMP/backdate/ (check.json, bisection.json, report.*); status, folder and report to $GITHUB_OUTPUT;
# $GITHUB_STEP_SUMMARY.
set -euo pipefail

# This step starts a project's code, sandboxed: nothing that opens a door is in its environment.
for name in $(compgen -e); do
  case $name in
    *TOKEN* | *SECRET* | *PASSWORD* | *PASSWD* | *CREDENTIAL* | *_KEY | *_PAT) unset "$name" ;;
  esac
done
if git -C "$SOURCE" config --get-regexp '^http\..*extraheader$' >/dev/null 2>&1; then
  echo "::warning title=backdate::the checkout keeps its token in .git/config: give actions/checkout persist-credentials: false"
fi

folder="$RUNNER_TEMP/backdate"
mkdir -p "$folder"
run=("$BACKDATE")
if [ -n "${BACKDATE_AS_ROOT:-}" ] && [ "$(id -u)" != 0 ]; then
  run=(sudo -n --preserve-env "$BACKDATE")
fi
options=()
asked=${AS:-declared}
[ -z "${FROM:-}" ] || options+=(--from "$FROM")
[ -z "${TO:-}" ] || options+=(--to "$TO")
readarray -d '' -t more < <(xargs -r printf '%s\0' <<<"${ARGUMENTS:-}")
options+=(${more[@]+"${more[@]}"})

# Each command leaves its annotations and its summary in files of its own: those of one of them are shown.
parts="$folder/parts"
mkdir -p "$parts"
answer() { # COMMAND RESULT QUESTION
  GITHUB_STEP_SUMMARY="$parts/$2.md" "${run[@]}" "$1" "$SOURCE" --as "$3" --format github \
    -o "$parts/$2.annotations" --json "$folder/$2.json" ${options[@]+"${options[@]}"}
}
part() { # FILE: what is in it, if it is there
  [ ! -e "$parts/$1" ] || cat "$parts/$1"
}

status=0
result=check
answer check check "$asked" || status=$?
# At once, as a bisection may take longer than the job has.
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
part check.md >"$summary"
if [ "$status" = 1 ] && [ "${BISECT:-true}" = true ]; then
  found=0
  # A bisection answers one question; what is broken for users is broken without the bounds as well.
  [ "$asked" != both ] || asked=lifted
  answer bisect bisection "$asked" || found=$?
  # Without a culprit the check's own answer says more.
  if [ "$found" = 1 ]; then
    result=bisection
    {
      part bisection.md
      printf '\n<details><summary>The check</summary>\n\n'
      part check.md
      printf '\n</details>\n'
    } >"$summary"
  fi
fi
part "$result.annotations"
rm -rf "$parts"
result="$folder/$result.json"

if [ -e "$result" ]; then
  for form in md html xml sarif; do
    "${run[@]}" show "$result" -o "$folder/report.$form" >/dev/null || [ $? -le 2 ]
  done
fi
{
  echo "status=$status"
  echo "folder=$folder"
  echo "report=$folder/report.html"
} >>"$GITHUB_OUTPUT"
