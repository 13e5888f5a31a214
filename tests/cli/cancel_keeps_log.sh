. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name long --grace 60s -- sh -c 'trap "echo ending; exit 0" TERM; echo up; while :; do sleep 0.1; done'
says_up() { "$KML" logs long | grep -q up; }
eventually says_up
expect 0 "$KML" cancel long
expect 3 "$KML" wait long --timeout 1000s
contains "$err" "was cancelled"
expect 0 "$KML" logs long
contains "$out" "ending"
expect 0 "$KML" status long
expect 0 "$KML" history long
[[ "$("$KML" status long; "$KML" history long)" != *[Dd]eadline* ]] || fail "a cancelled job is said to have met its deadline: $out"
expect 0 "$KML" list
contains "$out" "Cancelled"
expect 0 "$KML" cancel long
contains "$out" "has already finished"
