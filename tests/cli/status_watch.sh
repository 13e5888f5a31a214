# status -w shows a job after each change, until the job has ended.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name watched --array 0-1 -- sh -c 'until [ -e "$0/go" ]; do sleep 0.05; done' "$work"
"$KML" status -w watched >seen 2>seen.err &
watcher=$!
"$KML" status -w watched-1 >seen.task &
of_task=$!
running() { grep -q 'State *Running' "$1"; }
eventually running seen
eventually running seen.task
touch go
wait $watcher || fail "exit $?: $(cat seen.err)"
wait $of_task || fail "exit $?"
[ "$(grep State seen | tail -1 | tr -s ' ')" = "State Succeeded" ] || fail "$(cat seen)"
[ "$(grep State seen.task | tail -1 | tr -s ' ')" = "State Succeeded" ] || fail "$(cat seen.task)"
grep -q watched-0 seen.task && fail "another task: $(cat seen.task)"
expect 0 "$KML" status -w watched # has ended
[ "$(grep -c '^State' <<<"$out")" = 1 ] || fail "$out"
# Tests a deleted job, and Ctrl-C.
expect 0 "$KML" submit --name endless -- sleep 1000
"$KML" status -w endless >seen.endless 2>&1 &
watcher=$!
eventually running seen.endless
expect 0 "$KML" delete endless
wait $watcher || fail "exit $?: $(cat seen.endless)"
contains "$(cat seen.endless)" "the job was deleted"
expect 0 "$KML" submit --name endless2 -- sleep 1000
"$KML" status -w endless2 >seen.endless2 2>&1 &
watcher=$!
eventually running seen.endless2
kill -INT $watcher
got=0
wait $watcher || got=$?
[ $got = 130 ] || fail "exit $got after an interrupt"
