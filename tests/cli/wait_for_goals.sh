. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name good -- true
expect 0 "$KML" wait --for=condition=Complete good
contains "$err" "job good has condition complete=true"
expect 0 "$KML" submit --name bad -- false
expect 3 "$KML" wait --for=condition=complete bad
contains "$err" "job bad failed"
expect 0 "$KML" wait --for=condition=Failed bad
expect 0 "$KML" submit --name long -- sleep 1000
expect 5 "$KML" wait --for=condition=Complete long --timeout 1s
contains "$err" "job long does not have condition complete after 1s"
expect 5 "$KML" wait --for=delete long --timeout 1s
"$KML" wait --for=delete long --timeout 1000s 2>waited &
waiter=$!
expect 0 "$KML" delete long
wait $waiter || fail "$(cat waited)"
grep -qE "job long (is |does not exist)" waited || fail "$(cat waited)" # it may begin to wait after the deletion
expect 0 "$KML" wait --for=delete long
# A wait for a running job fails once the job has finished or was deleted.
expect 3 "$KML" wait --for=running good
contains "$err" "so job good cannot reach the goal of --for any more"
expect 0 "$KML" submit --name never --cpu 999 --no-check -- true
"$KML" wait --for=running never 2>waited &
waiter=$!
narrates() { grep -q "never waits" waited; }
eventually narrates
expect 0 "$KML" delete never
! wait $waiter || fail "it ran: $(cat waited)"
! grep -q "is running" waited || fail "$(cat waited)"
expect 2 "$KML" wait --for=jsonpath=x good
contains "$err" "condition=NAME"
