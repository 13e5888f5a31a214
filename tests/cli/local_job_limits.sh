. "$(dirname "$0")/lib.sh"
# Tests the time limit, the time to live, retries, and suspending, with jobs that run at the same time.
expect 0 "$KML" submit --name late --time-limit 10s --grace 60s -- sh -c 'trap "echo asked; exit 0" TERM; while :; do sleep 0.05; done'
expect 0 "$KML" submit --name brief --ttl 1s -- true
expect 0 "$KML" submit --name stubborn --retries 1 -- sh -c 'echo try >>tries; exit 7'
expect 0 "$KML" submit --name second-try --retries 3 -- sh -c 'echo again >>again; [ $(wc -l <again) = 2 ]'
expect 0 "$KML" submit --name pause --grace 60s -- sh -c 'trap "exit 143" TERM; echo run >>pauses; until [ -e go ]; do sleep 0.05; done'
eventually test -s pauses

expect 0 "$KML" suspend pause
suspended() { "$KML" list | grep pause | grep -q Suspended; }
eventually suspended
no_pods() { [ -z "$(pgrep -f 'echo run >>pauses')" ]; }
eventually no_pods

expect 3 "$KML" wait late --timeout 1000s
contains "$err" "time limit"
expect 0 "$KML" logs late
contains "$out" "asked"
is_gone() { ! "$KML" status brief; }
eventually is_gone
! "$KML" list | grep -q brief || fail "still listed"

touch go
expect 0 "$KML" resume pause
expect 0 "$KML" wait pause --timeout 1000s
[ "$(wc -l <pauses)" = 2 ] || fail "$(cat pauses)"
expect 3 "$KML" wait stubborn --timeout 1000s
[ "$(wc -l <tries)" = 2 ] || fail "not one retry: $(cat tries)"
expect 0 "$KML" wait second-try --timeout 1000s
expect 0 "$KML" status stubborn
contains "$out" "BackoffLimitExceeded"
