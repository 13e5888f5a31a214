# An array of 100,000 tasks needs a limit or --yes. While the array runs, other jobs are served. Cancelling
# the array stops it permanently, although its tasks exit by themselves before a deadline could stop them.
. "$(dirname "$0")/lib.sh"
started() { wc -c <"$work/started"; }
touch started
expect 2 "$KML" submit --name big --array 1-100000 -- true
contains "$err" "job big has 100000 tasks, which may all run at once"
contains "$err" "%100, or add --yes"
expect 1 "$KML" status big
expect 0 "$KML" submit --name limited --array 1-100000%1 -- sleep 1000
ready() { [ "$("$KML" status limited -o 'jsonpath={.status.ready}')" = 1 ]; }
eventually ready
expect 0 "$KML" cancel limited
contains "$err" "stopping 1 running task of job limited"
expect 0 "$KML" submit --name small --array 1-10000 --dry-run=server -- true

expect 0 "$KML" submit --name big --array 1-100000 --yes -- sh -c 'printf x >>'"$work"'/started; exec sleep 0.2'
some() { [ "$(started)" -gt 50 ]; }
eventually some
expect 0 "$KML" submit --name other -- true
for command in list queue "status big" "why big"; do
  expect 0 "$KML" $command
  contains "$out" big
done
expect 0 "$KML" cancel big
contains "$out" "job big cancelled"
before=$(started)
expect 0 "$KML" status big -o 'jsonpath={.status.active} {.status.terminating}'
[ "$out" = "0 0" ] || fail "pods are left: $out"
expect 0 "$KML" submit --name later --wait -- true
[ "$(started)" = "$before" ] || fail "tasks started after the array was cancelled"
expect 0 "$KML" list
[[ $out =~ big\ +Cancelled ]] || fail "$out"
expect 3 "$KML" wait big
expect 0 "$KML" delete big
