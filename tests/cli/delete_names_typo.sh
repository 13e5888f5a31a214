. "$(dirname "$0")/lib.sh"
# If one name is wrong, no job is deleted, and the message says so.
expect 0 "$KML" submit --name one --wait -- true
expect 1 "$KML" delete one typo
contains "$err" 'typo'
contains "$err" 'nothing was deleted'
expect 1 "$KML" delete one typo misspelt
contains "$err" 'no jobs "typo", "misspelt" in namespace default; nothing was deleted'
expect 0 "$KML" list -o name
[ "$out" = job.batch/one ] || fail "$out"
expect 2 "$KML" submit --time-limit 2 -- true
contains "$err" "2m"
contains "$err" "2h"
expect 0 "$KML" submit --dry-run --time-limit 2m -- true
contains "$out" "activeDeadlineSeconds: 120"
