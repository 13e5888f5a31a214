. "$(dirname "$0")/lib.sh"

# A job starts once the job that it waits for has succeeded. Before that, list, queue and why show that it waits.
expect 0 "$KML" submit --name first -- sh -c 'until [ -e go ]; do sleep 0.05; done; echo first >>order'
expect 0 "$KML" submit --name second --after first -- sh -c 'echo second >>order'
expect 0 "$KML" submit --name third --after second --after first:any -- sh -c 'echo third >>order'
expect 0 "$KML" why second
contains "$out" "waits for first to succeed"
expect 0 "$KML" why third
contains "$out" "waits for second to succeed, first to end"
expect 0 "$KML" resume --mine --dry-run
[[ "$out" != *second* ]] || fail "$out"
for list in list queue; do
  expect 0 "$KML" $list
  contains "$out" "for first to succeed"
done
expect 0 "$KML" status second
contains "$out" "Waiting"
"$KML" wait third >/dev/null 2>&1 &
touch go
wait $! || fail "third did not succeed"
[ "$(tr '\n' ' ' <order)" = "first second third " ] || fail "$(cat order)"

# A rerun does not wait for another job.
expect 0 "$KML" delete first
expect 0 "$KML" rerun second --wait --timeout 1000s
[ "$(grep -c second order)" = 2 ] || fail "$(cat order)"

# If the awaited job fails, the next one never starts, unless a user resumes it.
expect 3 "$KML" submit --name bad --wait -- false
expect 3 "$KML" submit --name never --after bad -- true
contains "$err" "the new job should start once bad has succeeded, but that job failed"
expect 0 "$KML" submit --name repair --after bad:failed --wait -- true
rm go
expect 0 "$KML" submit --name doomed -- sh -c 'until [ -e go ]; do sleep 0.05; done; exit 1'
expect 0 "$KML" submit --name next --after doomed -- sh -c 'echo next >>order'
touch go
expect 3 "$KML" wait doomed
is_never() { "$KML" why next | grep -q "but doomed failed"; }
eventually is_never
expect 0 "$KML" why next
contains "$out" "cannot start until you change something"
expect 0 "$KML" list
contains "$out" "cannot start: doomed failed"
[ "$(grep -c next order)" = 0 ] || fail "it ran"
expect 0 "$KML" resume next
expect 0 "$KML" wait next
contains "$(cat order)" "next"

# If several jobs are cancelled together, the waiting ones stop first, so that the end of a running job does
# not start a waiting one.
expect 0 "$KML" submit --name up -- sleep 10000
for i in 1 2 3 4 5 6; do expect 0 "$KML" submit --name "other$i" -- sleep 10000; done
expect 0 "$KML" submit --name link1 --after up:failed -- sh -c 'echo link >>order'
expect 0 "$KML" submit --name link2 --after link1:any -- sh -c 'echo link >>order'
expect 0 "$KML" wait up --for running
expect 0 "$KML" cancel up other1 other2 other3 other4 other5 other6 link1 link2
for job in up link1 link2; do
  expect 3 "$KML" wait "$job"
  contains "$("$KML" list "$job")" "Cancelled"
done
[[ "$(cat order)" != *link* ]] || fail "$(cat order)"

# A job that waits can be suspended: the end of the other job then does not start it.
rm -f go
expect 0 "$KML" submit --name early -- sh -c 'until [ -e go ]; do sleep 0.05; done'
expect 0 "$KML" submit --test-only --after early -- true
contains "$out" "would wait for early to succeed"
expect 0 "$KML" submit --test-only --after early:any -- true
contains "$out" "would wait for early to end"
expect 0 "$KML" submit --name held --after early -- sh -c 'echo held >>order'
expect 0 "$KML" submit --name again --after early -- sh -c 'echo again >>order'
expect 0 "$KML" suspend held again
expect 0 "$KML" list
contains "$out" "Suspended"
expect 0 "$KML" resume again
contains "$out" "it waits for other jobs again"
touch go
expect 0 "$KML" wait again --timeout 1000s
[ "$(grep -c held order)" = 0 ] || fail "a suspended job ran"
expect 0 "$KML" resume held
expect 0 "$KML" wait held --timeout 1000s
[ "$(grep -c held order)" = 1 ] || fail "$(cat order)"

# If the awaited job is deleted, a new job with the same name does not take its place.
rm go
expect 0 "$KML" submit --name base -- sh -c 'until [ -e go ]; do sleep 0.05; done'
expect 0 "$KML" submit --name later --after base -- true
expect 0 "$KML" delete base
expect 0 "$KML" submit --name base --wait -- true
is_never() { "$KML" why later | grep -q "but base was deleted"; }
eventually is_never
expect 0 "$KML" cancel later

# The dependency survives a restart of the server.
expect 0 "$KML" submit --name long -- sh -c 'until [ -e go ]; do sleep 0.05; done'
expect 0 "$KML" submit --name tail --after long:any -- true
"$KML" local down >/dev/null 2>&1
touch go
expect 0 "$KML" wait tail --timeout 1000s

expect 2 "$KML" submit --after long:soon -- true
contains "$err" "it takes JOB, JOB:ok, JOB:any or JOB:failed"
contains "$err" "fix: --after long:ok"
# The suggested fix means the same as the rejected word.
while read -r wrong right; do
  expect 2 "$KML" submit --after "$wrong" -- true
  contains "$err" "fix: --after $right"
done <<'END'
long:success long:ok
long:succeeded long:ok
long:complete long:ok
long:fail long:failed
long:Failed long:failed
long:failure long:failed
long:anny long:any
long:done long:any
afterok:long long:ok
afternotok:long long:failed
afterany:long long:any
END
# If --after names a task or a pod of an array, the error names the array's job.
expect 0 "$KML" submit --name ar --array 0-1 -- sleep 1000
"$KML" local kubeconfig >config
has_pod() { pod=$(kubectl --kubeconfig config get pods -l batch.kubernetes.io/job-name=ar -o 'jsonpath={.items[0].metadata.name}') && [ -n "$pod" ]; }
eventually has_pod
has_pod
while read -r task fix; do
  expect 2 "$KML" submit --after "$task" -- true
  contains "$err" "is a task of job ar"
  contains "$err" "fix: --after $fix"
done <<'END'
ar-0 ar
ar-1:any ar:any
END
for command in "submit --after $pod -- true" "submit --after $pod:any -- true" "why $pod" "cancel $pod"; do
  expect 1 "$KML" $command
  contains "$err" "$pod is a pod of job ar"
  contains "$err" "fix: use the job's name: ar"
done
expect 0 "$KML" cancel ar
expect 1 "$KML" submit --after lnog -- true
contains "$err" 'did you mean "long"'
