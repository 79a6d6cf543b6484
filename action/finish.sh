#!/usr/bin/env bash
# End the job as the check ended: 0 is green; 1 is red, something broke; 2 is red, there is no answer; others went wrong.
#
# Reads: STATUS.
set -euo pipefail

case "${STATUS:-}" in
  0) echo "backdate: nothing broke" ;;
  1) echo "backdate: something broke" ;;
  2) echo "backdate: there is no answer; the log of the check says why" ;;
  *) echo "backdate: the check did not run to its end (status ${STATUS:-none})" ;;
esac
exit "${STATUS:-70}"
