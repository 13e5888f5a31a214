# A job's log is complete from its first line. If a limit has removed lines, stderr says how many.
. "$(dirname "$0")/lib.sh"
pad=$(printf %0100d 0)
talk() { expect 0 "$KML" submit --name "$1" --wait -- awk -v pad="$pad" 'BEGIN { for (i = 1; i <= '"$2"'; i++) print i, pad }'; }
# The job prints more than the 50 MiB that a node of a cluster keeps by default.
talk whole 450000
"$KML" logs whole >lines 2>err
[ "$(head -n 1 lines | cut -d' ' -f1)" = 1 ] || fail "it begins at $(head -n 1 lines): $(cat err)"
[ "$(wc -l <lines)" = 450000 ] || fail "$(wc -l <lines) lines"
! grep -q gone err || fail "$(cat err)"

expect 0 "$KML" local down
expect 0 "$KML" local up --log-limit 1Mi
talk cut 20000
"$KML" logs cut >lines 2>err
first=$(head -n 1 lines | cut -d' ' -f1)
[ "$first" -gt 1 ] || fail "nothing was removed"
contains "$(cat err)" "the first $((first - 1)) lines ("
contains "$(cat err)" "kml local up --log-limit SIZE"
# A reader that requests only the end gets no note about missing lines.
"$KML" logs cut --tail 5 >lines 2>err
! grep -q gone err || fail "$(cat err)"
expect 0 "$KML" local down
expect 2 "$KML" local up --log-limit lots
contains "$err" "--log-limit lots"
