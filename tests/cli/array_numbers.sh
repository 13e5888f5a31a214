. "$(dirname "$0")/lib.sh"

# The numbers given to --array are the numbers of the tasks, in $KML_TASK and wherever kml names a task.
expect 0 "$KML" submit --name plain --array 0-2 --follow -- sh -c 'echo "task $KML_TASK"'
for n in 0 1 2; do contains "$out" "task $n"; done
expect 0 "$KML" submit --name odd --array 3-7:2,20 --follow -- sh -c 'echo "task $KML_TASK of $1, index $JOB_COMPLETION_INDEX"' sh 'a "b" $c'
contains "$out" '3 | task 3 of a "b" $c, index 0'
contains "$out" '5 | task 5 of a "b" $c, index 1'
contains "$out" '7 | task 7 of a "b" $c, index 2'
contains "$out" '20 | task 20 of a "b" $c, index 3'
expect 0 "$KML" logs odd-20
contains "$out" 'task 20 of a "b" $c, index 3'
[ "$(wc -l <<<"$out")" = 1 ] || fail "$out"
expect 0 "$KML" logs odd --rank 5
contains "$out" "task 5"
expect 1 "$KML" logs odd-4

expect 0 "$KML" history odd
[ "$(awk '$1 != "ATTEMPT" { print $3 }' <<<"$out" | sort -n | tr '\n' ' ')" = "3 5 7 20 " ] || fail "$out"

# kml shows the metrics of each task under the task's number.
expect 0 "$KML" submit --name late --array 3-4 --wait -- sh -c 'echo loss=0.$KML_TASK'
expect 0 "$KML" runs --where 'loss < 0.4' -o 'jsonpath={.*.name}'
[ "$out" = late/3 ] || fail "$out"

# Failed tasks are named by their numbers.
expect 3 "$KML" submit --name some --array 2,4-6 --wait -- sh -c '[ $KML_TASK = 4 ] || exit 1'
expect 0 "$KML" why some
contains "$out" "2,5,6"
expect 0 "$KML" list some
contains "$out" "tasks 2,5,6 failed"
expect 3 "$KML" submit --name half --array 1-21 --wait -- false
expect 0 "$KML" list half
contains "$out" ",19,20,… failed"

expect 2 "$KML" submit --array 5-1 -- true
contains "$err" '"5-1" ends before it starts'
expect 2 "$KML" submit --array 1-3,2 -- true
contains "$err" "has task 2 twice"
expect 2 "$KML" submit --array 0-2000000000 -- true
contains "$err" "has more than 100000 tasks"
expect 2 "$KML" submit --array 1,x -- true
contains "$err" "is not of the form 0-9, 1-5,8 or 0-90:10"

# A task's state is the state of its own index.
expect 0 "$KML" status some-4
contains "$out" "Succeeded"
expect 0 "$KML" status some-6
contains "$out" "Failed"
