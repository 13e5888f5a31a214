# A copy of the logs outlives the job. After a follower was killed, the next one continues the copy without losing or
# repeating lines.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name talker -- sh -c 'i=0; while ! [ -e go ] || [ $i -lt 300 ]; do i=$((i+1)); echo line $i; sleep 0.01; done'
"$KML" logs -f --keep talker >first &
follower=$!
eventually grep -q 'line 20' first
kill -9 $follower
wait $follower || true
touch go
expect 0 "$KML" logs -f --keep talker
expect 0 "$KML" delete talker
gone() { ! "$KML" list | grep -q talker; }
eventually gone
expect 0 "$KML" logs talker
contains "$err" "job talker is gone; this is the copy of its log in $XDG_STATE_HOME/kml/logs"
awk '$2 != NR { print "line " NR " is " $2; exit 1 }' <<<"$out" || fail "lines are lost or doubled"
[ "$(wc -l <<<"$out")" -ge 300 ] || fail "$(wc -l <<<"$out") lines"
expect 0 "$KML" logs --tail 1 talker
[ "$(wc -l <<<"$out")" = 1 ] || fail "$out"
expect 1 "$KML" logs talke
expect 1 "$KML" logs --save elsewhere talker
