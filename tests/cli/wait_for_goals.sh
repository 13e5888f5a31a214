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
contains "$err" "condition not met after 1s: long"
expect 5 "$KML" wait --for=delete long --timeout 1s
"$KML" wait --for=delete long --timeout 1000s 2>waited &
waiter=$!
expect 0 "$KML" delete long
wait $waiter || fail "$(cat waited)"
grep -qE "job long (is |does not exist)" waited || fail "$(cat waited)" # it may begin to wait after the deletion
expect 0 "$KML" wait --for=delete long
expect 2 "$KML" wait --for=jsonpath=x good
contains "$err" "condition=NAME"
