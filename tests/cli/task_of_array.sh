# In many commands, "arr-3" is task 3 of the array job arr; others say that it is a task.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name arr --array 0-3%3 -- sh -c '
  case $JOB_COMPLETION_INDEX in 0) echo said by 0; exit 7 ;; 3) exit 0 ;; esac; echo said by $JOB_COMPLETION_INDEX; sleep 1000'
runs() { "$KML" status "$1" | grep -q 'State *Running'; }
eventually runs arr-1
eventually runs arr-2
ended() { "$KML" status arr-3 | grep -q 'State *Succeeded'; }
eventually ended
failed() { "$KML" status arr-0 | grep -q 'State *Failed: exit code 7'; }
eventually failed
expect 0 "$KML" status arr-1
contains "$out" arr-1-
[[ "$out" != *arr-2-* ]] || fail "pods of other tasks: $out"
grep -q '^Task *arr-1$' <<<"$out" || fail "$out"
expect 0 "$KML" status arr-1 -o name
[[ "$out" == pod/arr-1-* ]] || fail "$out"
expect 0 "$KML" logs arr-1
contains "$out" "said by 1"
[[ "$out" != *"said by 2"* ]] || fail "$out"
# Tests several tasks at once, and the form that `kml exec` takes.
expect 0 "$KML" logs arr-0 arr-1
contains "$out" "said by 0"
contains "$out" "said by 1"
[[ "$out" != *"said by 2"* ]] || fail "$out"
expect 0 "$KML" logs arr arr-1
contains "$out" "said by 2"
for command in "logs arr/1" "logs arr --rank 1"; do
  expect 0 "$KML" $command
  [[ $out == *"said by 1" && $out != *"said by "[02]* ]] || fail "$command: $out"
done
expect 0 "$KML" status arr/1
grep -q '^Task *arr-1$' <<<"$out" || fail "$out"
expect 2 "$KML" logs arr --rank 4
contains "$err" "job arr has no task 4"
expect 1 "$KML" logs arr/9
contains "$err" "job arr has no task 9"
expect 2 "$KML" logs no-kind/arr
contains "$err" '"no-kind" is not a kind of job'
expect 0 "$KML" eff arr-3
grep -q '^Task *arr-3 (Succeeded)$' <<<"$out" || fail "$out"
expect 0 "$KML" why arr-0
contains "$out" "exit"
contains "$out" "said by 0"
expect 0 "$KML" why arr-1
contains "$out" "1 of 1 pods"
expect 0 "$KML" history arr-0 -o json
[ "$(grep -c '"pod"' <<<"$out")" = 1 ] || fail "$out"

# One task is cancelled, and the others continue.
expect 0 "$KML" cancel arr-1 --dry-run
contains "$out" "task arr-1 would be cancelled"
expect 0 "$KML" cancel arr-1
contains "$out" "task arr-1 cancelled"
cancelled() { "$KML" status arr-1 | grep -q 'State *Cancelled'; }
eventually cancelled
runs arr-2 || fail "$("$KML" status arr-2)"
for command in "status arr" "status arr-1" "why arr" "why arr-1" "history arr-1"; do
  expect 0 "$KML" $command
  grep -qi cancelled <<<"$out" || fail "$command: $out"
  [[ "$out" != *"time limit"* && "$out" != *"signal 15"* ]] || fail "$command: $out"
done
expect 0 "$KML" why arr-1
contains "$out" "kml rerun arr-1"
expect 0 "$KML" cancel arr-1
contains "$out" "task arr-1 has already finished"
for command in suspend resume delete wait; do
  expect 2 "$KML" $command arr-2
  contains "$err" "arr-2 is a task of job arr"
  contains "$err" "kml $command arr"
done
runs arr-2 || fail "$("$KML" status arr-2)"
expect 0 "$KML" cancel arr
expect 1 "$KML" status arr-9
contains "$err" 'job arr has no task 9'

# If all tasks were cancelled, kml does not say that they failed.
expect 0 "$KML" submit --name both --array 0-1 -- sleep 1000
eventually runs both-0
eventually runs both-1
expect 0 "$KML" cancel both-0 both-1
expect 3 "$KML" wait both
expect 0 "$KML" why both
contains "$out" "tasks 0-1 were cancelled"
[[ "$out" != *"signal 15"* ]] || fail "$out"
for asked in list status; do contains "$("$KML" $asked both)" "tasks 0-1 were cancelled"; done
expect 0 "$KML" history both
[[ "$out" != *"time limit"* && "$out" != *"signal 15"* ]] || fail "$out"

# Requests that Kubernetes does not support are rejected.
expect 0 "$KML" submit --name few --array 0-1%1 -- sleep 1000
eventually runs few-0
expect 0 "$KML" why few-1
contains "$out" "waits for earlier tasks"
[[ $out != *"unknown reason"* ]] || fail "$out"
expect 1 "$KML" cancel few-1
contains "$err" "cannot cancel task few-1 before it runs"
waits() { "$KML" logs few-1 2>&1 | grep -qxF "kml: few-1 has no log yet: it is waiting (waits for earlier tasks)"; }
eventually waits
expect 0 "$KML" submit --name again --array 0-1 --retries 2 -- sleep 1000
eventually runs again-0
expect 1 "$KML" cancel again-0
contains "$err" "start the task again"
# If a job has the name of a task, the name stands for the job.
expect 0 "$KML" submit --name few-1 --wait -- echo a job of its own
expect 0 "$KML" logs few-1
contains "$out" "a job of its own"
expect 2 "$KML" logs again-0 --rank 1
contains "$err" "a task of an array job has no ranks"
