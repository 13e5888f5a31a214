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
expect 1 "$KML" list none
contains "$err" '"none" is neither a job in namespace default nor a kind'
# Tests words that users of kubectl are used to, and words for objects that other commands list.
for words in "jobs other" "job other" "job/other" "jobs job/other"; do
  [ "$(names $words)" = "job.batch/other " ] || fail "$words: $(names $words)"
done
# A job that several words select is listed, and changed, once.
while read -ra words; do
  [ "$(names "${words[@]}")" = "job.batch/other " ] || fail "${words[*]}: $(names "${words[@]}")"
  expect 0 "$KML" suspend "${words[@]}"
  [ "$out" = "job other suspended" ] || fail "${words[*]}: $out"
  expect 0 "$KML" resume "${words[@]}"
  [ "$out" = "job other resumed" ] || fail "${words[*]}: $out"
done <<'W'
other other
other oth*
o* oth*
W
expect 0 "$KML" submit --image none --name twice -- sleep 1000
expect 0 "$KML" delete twice twice 'twic*'
[ "$out" = "job twice deleted" ] || fail "$out"
# After the word jobs, the word of a kind is a name.
expect 1 "$KML" list jobs nodes
contains "$err" 'no job "nodes" in namespace default'
contains "$err" "fix: kml list nodes"
expect 1 "$KML" list 'none*'
contains "$err" 'no job in namespace default matches "none*"'
while read -r word command; do
  expect 2 "$KML" list "$word"
  contains "$err" "fix: $command"
done <<'W'
sweeps kml sweep list
Runs kml runs
pipelines kml run list
schedules kml schedule list
models kml serve list
artifacts kml artifact list
gpus kml top nodes
pods kml status JOB
W
expect 1 "$KML" list nods
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
contains "$err" 'no job in namespace default matches "no-*"'
[ "$(names 'exp-*')" = "job.batch/exp-1 job.batch/exp-2 job.batch/exp-3 " ] || fail "something was deleted"
expect 0 "$KML" cancel exp-1 'exp-?'
[ "$(grep -c exp-1 <<<"$out")" = 1 ] && grep -q 'job exp-2 cancelled' <<<"$out" || fail "$out"
expect 0 "$KML" delete 'exp-*'
expect 0 "$KML" list
[[ $out != *exp-* && $out == *other* ]] || fail "$out"
expect 0 "$KML" delete other

# Tests a name that resembles the name of a job.
expect 0 "$KML" submit --name arr --array 0-4 -- true
expect 0 "$KML" wait arr
expect 2 "$KML" list arr-2
contains "$err" 'arr-2 is a task of job arr'
contains "$err" 'fix: kml status arr-2'
for command in status why logs; do
  expect 1 "$KML" $command arr-7
  contains "$err" 'job arr has no task 7'
  contains "$err" 'its tasks are 0 to 4'
done
expect 0 "$KML" submit --name ag --array 3,7,11 --wait -- true
expect 1 "$KML" status ag-4
contains "$err" 'its tasks are 3,7,11'
expect 0 "$KML" timeline ag -o json
contains "$(python3 -c 'import json, sys; print([row["name"] for row in json.load(sys.stdin)[0]["rows"]])' <<<"$out")" \
  "['ag', 'ag-3', 'ag-7', 'ag-11']"
expect 1 "$KML" rerun arr-7
contains "$err" 'job arr has no task 7'
expect 0 "$KML" submit --name nightly --cron '0 3 * * *' -- true
expect 1 "$KML" list nightly
contains "$err" 'nightly is a schedule'

# An artifact with the name of a job does not hide the job.
echo x >file
expect 0 "$KML" artifact put arr=file
expect 0 "$KML" why arr
contains "$out" "job arr: Succeeded"

# Sweeps and runs of pipelines are not jobs.
expect 0 "$KML" sweep run tune --param x=1,2 --minimize loss -- sh -c 'echo loss={x}'
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {one: {command: ["true"], code: {paths: [pipeline.yaml]}}}}
Y
expect 0 "$KML" run pipeline.yaml
run=$("$KML" run list -o name | grep '^p-')
for command in status logs cancel wait why; do
  expect 1 "$KML" $command tune
  contains "$err" 'why: tune is a sweep'
  contains "$err" 'fix: `kml sweep status tune` shows it'
  [ $command = why ] || { expect 1 "$KML" $command "$run"; contains "$err" "kml run status $run"; }
done

# The commands in tables act on the same target as the table.
expect 0 "$KML" submit --image none --name asleep -- sleep 1000
expect 0 "$KML" suspend asleep
for words in "list asleep" queue "status asleep"; do
  expect 0 "$KML" --context local $words
  contains "$out" '`kml --context local resume asleep` starts it'
  expect 0 "$KML" $words
  contains "$out" '`kml resume asleep` starts it'
done
expect 0 "$KML" list -A
contains "$out" '`kml -n default resume asleep` starts it'
expect 0 "$KML" submit --image none --name weekly --cron '0 3 * * *' -- true
expect 0 "$KML" schedule pause weekly
expect 0 "$KML" --context local why weekly
contains "$out" '`kml --context local schedule resume weekly`'
