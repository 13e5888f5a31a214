# While a cancelled job's pods are stopping, list, status, queue and why show Cancelling, and cancelling the job again
# has no effect.
. "$(dirname "$0")/lib.sh"
stay='trap "echo asked" TERM; echo up; while [ -d '$work' ] && [ ! -e '$work'/go ]; do sleep 0.1; done'
expect 0 "$KML" submit --name slow --grace 300s -- sh -c "$stay"
expect 0 "$KML" submit --name arr --array 0-1 --grace 300s -- sh -c "$stay"
up() { "$KML" logs slow | grep -q up && [ "$("$KML" logs arr | grep -c up)" = 2 ]; }
eventually up
expect 0 "$KML" submit --name waits --node-selector no=where --no-check -- true
expect 0 "$KML" status waits
[[ "$out" != *Started* ]] || fail "a job that waits has started: $out"

expect 0 "$KML" cancel slow
contains "$out" "job slow cancelled"
cancelled_at() { "$KML" status slow -o 'jsonpath={.metadata.annotations.kml\.dev/cancelled}'; }
at=$(cancelled_at)
asked() { "$KML" logs slow | grep -q asked; }
eventually asked
expect 0 "$KML" list --no-headers
[[ $out =~ slow\ +Cancelling ]] || fail "$out"
expect 0 "$KML" status slow
[[ $out =~ State\ +Cancelling ]] || fail "$out"
expect 0 "$KML" queue
[[ $out =~ slow.*Cancelling.*stopping ]] || fail "$out"
expect 0 "$KML" why slow
contains "$out" "Cancelling"
expect 0 "$KML" list --state cancelling -o name
[ "$out" = job.batch/slow ] || fail "$out"
expect 0 "$KML" list --state running -o name
[ "$out" = job.batch/arr ] || fail "$out"
sleep 1.1
expect 0 "$KML" cancel slow
[ "$out" = "job slow is already being cancelled" ] || fail "$out"
[ "$(cancelled_at)" = "$at" ] || fail "cancelled at another time"
expect 0 "$KML" suspend slow
[ "$out" = "job slow is being cancelled" ] || fail "$out"

# Checks the same for a task of an array.
expect 0 "$KML" cancel arr-1
task_asked() { "$KML" logs arr-1 | grep -q asked; }
eventually task_asked
expect 0 "$KML" status arr-1
[[ $out =~ State\ +Cancelling ]] || fail "$out"
expect 0 "$KML" cancel arr-1
[ "$out" = "task arr-1 is already being cancelled" ] || fail "$out"

touch "$work/go"
expect 3 "$KML" wait slow
expect 0 "$KML" list --no-headers
[[ $out =~ slow\ +Cancelled ]] || fail "$out"
expect 0 "$KML" cancel slow
[ "$out" = "job slow has already finished" ] || fail "$out"
