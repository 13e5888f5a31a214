# Patterns select several jobs, in list and in commands that act on jobs.
. "$(dirname "$0")/lib.sh"
"$KML" local up --cpu 2 >/dev/null
for name in exp-1 exp-2 other; do expect 0 "$KML" submit --image none --name $name -- sleep 1000; done
expect 0 "$KML" submit --image none --name exp-3 --wait -- true

names() { "$KML" list "$@" -o name | tr '\n' ' '; }
[ "$(names exp-1)" = "job.batch/exp-1 " ] || fail "$(names exp-1)"
[ "$(names 'exp-*' other)" = "job.batch/exp-1 job.batch/exp-2 job.batch/other job.batch/exp-3 " ] || fail "$(names 'exp-*' other)"
[ "$(names 'exp-[!1]' --state running)" = "job.batch/exp-2 " ] || fail "$(names 'exp-[!1]' --state running)"
expect 0 "$KML" list other
[[ $out == JOB*other* && $out != *exp-* ]] || fail "$out"
expect 2 "$KML" list none
contains "$err" '"none" is neither a job in namespace default nor a kind'
expect 2 "$KML" list nods
contains "$err" 'did you mean "nodes"'
expect 2 "$KML" list nodes other
contains "$err" "kml list nodes"
# If no node has GPUs, kml top nodes shows CPUs.
expect 0 "$KML" top nodes
contains "$err" "no node has GPUs"
contains "$out" "CPU"

# A pattern does not cancel a finished job.
expect 0 "$KML" cancel 'exp-*' --dry-run
[ "$out" = $'job exp-1 would be cancelled\njob exp-2 would be cancelled' ] || fail "$out"
expect 1 "$KML" delete 'exp-*' 'no-*'
contains "$err" 'no job in namespace default fits "no-*"'
[ "$(names 'exp-*')" = "job.batch/exp-1 job.batch/exp-2 job.batch/exp-3 " ] || fail "something was deleted"
expect 0 "$KML" cancel exp-1 'exp-?'
[ "$(grep -c exp-1 <<<"$out")" = 1 ] && grep -q 'job exp-2 cancelled' <<<"$out" || fail "$out"
expect 0 "$KML" delete 'exp-*'
expect 0 "$KML" list
[[ $out != *exp-* && $out == *other* ]] || fail "$out"
expect 0 "$KML" delete other
