. "$(dirname "$0")/lib.sh"
# Each task gets its index, in a variable and in the command; a failed task does not affect the others.
expect 0 "$KML" submit --array 0-4%2 --name tasks "${on_node1[@]}" -- \
  sh -c 'echo "task $JOB_COMPLETION_INDEX = $0"; [ $JOB_COMPLETION_INDEX != 1 ]' '$(JOB_COMPLETION_INDEX)'
expect 3 "$KML" wait tasks --timeout 1000s
expect 0 k get job tasks -o 'jsonpath={.spec.parallelism} {.status.completedIndexes} {.status.failedIndexes}'
[ "$out" = "2 0,2-4 1" ] || fail "$out"
expect 0 "$KML" logs tasks
for index in 0 1 2 3 4; do contains "$out" "task $index = $index"; done

# A shell in the image computes task numbers that are not indexes; commands use these numbers to name a task.
expect 0 "$KML" submit --name odd "${on_node1[@]}" --array 3-5:2,20 --wait -- /bin/busybox sh -c 'echo "task $KML_TASK"'
expect 0 "$KML" logs odd-20
contains "$out" "task 20"

# A cluster cannot make a job wait for another job, so kml waits before it submits.
expect 0 "$KML" submit --name before "${on_node1[@]}" -- sh -c 'until [ -e /go ]; do /bin/busybox sleep 0.1; done'
"$KML" submit --name after --after before "${on_node1[@]}" --wait -- /bin/busybox true >after.out 2>&1 &
after=$!
eventually grep -q "waiting for before" after.out
eventually timeout 100 "$KML" exec before -- /bin/busybox true
timeout 100 "$KML" exec before -- /bin/busybox touch /go || true # its pod may end first
wait $after || fail "$(cat after.out)"
contains "$(cat after.out)" "job after succeeded"
expect 3 "$KML" submit --name bad "${on_node1[@]}" --wait -- /bin/busybox false
expect 3 "$KML" submit --name never --after bad "${on_node1[@]}" -- /bin/busybox true
contains "$err" "the new job should start once bad has succeeded, but that job failed"
