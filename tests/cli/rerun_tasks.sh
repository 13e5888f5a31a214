# A user can run one task of an array again, or all failed tasks. The tasks keep their numbers.
. "$(dirname "$0")/lib.sh"
"$KML" local up --cpu 4 >/dev/null
say='echo "task $KML_TASK, index $JOB_COMPLETION_INDEX"; [ -e mended ] || [ $((KML_TASK % 2)) = 0 ] || exit 1'
expect 3 "$KML" submit --name plain --array 0-5 --wait -- sh -c "$say"
expect 3 "$KML" submit --name odd --array 3-7,20%2 --wait -- sh -c "$say"
: >mended
expect 0 "$KML" rerun plain-4 --follow
[ "$(grep -o 'task .*' <<<"$out")" = "task 4, index 4" ] || fail "$out"
# `kml runs` lists the tasks that print metrics under names such as plain/4.
for name in plain/4 job/plain-4; do
  expect 0 "$KML" rerun $name --follow
  [ "$(grep -o 'task .*' <<<"$out")" = "task 4, index 4" ] || fail "$name: $out"
done
expect 0 "$KML" rerun plain --failed --follow
[ "$(grep -o 'task .*' <<<"$out" | sort)" = $'task 1, index 1\ntask 3, index 3\ntask 5, index 5' ] || fail "$out"
# If task numbers differ from indexes, the program gets its number from KML_TASK, as in the original run.
expect 0 "$KML" rerun odd-20 --follow
[[ $out == *"task 20, index 0"* && $out != *"task 3"* ]] || fail "$out"
expect 0 "$KML" rerun odd --failed --name again --follow
[ "$(grep -o 'task [0-9]*' <<<"$out" | sort)" = $'task 3\ntask 5\ntask 7' ] || fail "$out"
# A task of a rerun has its number too.
expect 0 "$KML" rerun again-5 --follow
[ "$(grep -o 'task [0-9]*' <<<"$out")" = "task 5" ] || fail "$out"

# Tasks that had not started when the time limit was reached are also treated as failed.
expect 3 "$KML" submit --name late --array 0-3%1 --time-limit 1s --wait -- sleep 10000
expect 0 "$KML" why late-3
contains "$out" "its time limit of 1s passed while it waited"
expect 0 "$KML" rerun late --failed --name later
expect 0 "$KML" list later -o 'jsonpath={.items[0].spec.completions}'
[ "$out" = 4 ] || fail "$out"

for name in plain-6 plain/6 job/plain-6; do
  expect 1 "$KML" rerun $name
  contains "$err" 'job plain has no task 6'
done
expect 1 "$KML" rerun none/4
contains "$err" 'no run "none/4"'
expect 1 "$KML" rerun again --failed
contains "$err" "no task of again has failed"
expect 2 "$KML" rerun plain-3 --failed
contains "$err" "plain-3 is one task"
contains "$err" "kml rerun plain-3, or all that failed: kml rerun plain --failed"
expect 2 "$KML" rerun plain/3 --failed
contains "$err" "kml rerun plain/3, or all that failed: kml rerun plain --failed"
expect 0 "$KML" delete plain
expect 1 "$KML" rerun plain --failed
contains "$err" "job plain was deleted"
expect 0 "$KML" submit --name one --wait -- true
expect 2 "$KML" rerun one --failed
contains "$err" "job one is not an array job"
