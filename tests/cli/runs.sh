# Runs are compared by the values in their logs and commands, even when the jobs are gone.
. "$(dirname "$0")/lib.sh"
train='for step in 1 2 3; do echo "step=$step loss=0.$((10 - step))"; done; echo "loss=$1"'
run() { expect 0 "$KML" submit --name "$1" --wait -- sh -c "$train" sh "$2" "--lr=$3" --opt adam; }
run one 0.5 0.1
run two 0.25 0.01
expect 0 "$KML" submit --name three --env LR=7 -- sh -c 'echo "loss=0.75"; exit 1'
"$KML" wait three 2>/dev/null || true
expect 0 "$KML" delete one

expect 0 "$KML" runs
[[ $out =~ one\ +Succeeded.*loss=0.5\ step=3\ +lr=0.1\ opt=adam ]] || fail "$out"
[[ $out =~ three\ +Failed.*loss=0.75\ +env.LR=7 ]] || fail "$out"
expect 0 "$KML" runs --where 'loss < 0.6 && lr < 0.05' -o 'jsonpath={.*.name}'
[ "$out" = two ] || fail "$out"
expect 0 "$KML" runs --sort loss:desc -o 'jsonpath={.*.name}'
[ "$out" = "three one two" ] || fail "$out"
expect 0 "$KML" runs --sort loss --limit 1 -o 'jsonpath={[0].metrics.loss.max}'
[ "$out" = 0.9 ] || fail "$out"
expect 2 "$KML" runs --where 'los < 1'
contains "$err" 'did you mean "loss"?'

expect 0 "$KML" runs compare one two
contains "$out" loss
contains "$out" lr
! grep -q "^opt" <<<"$out" || fail "an equal parameter is shown: $out"
expect 0 "$KML" runs compare one two --all
contains "$out" opt
expect 0 "$KML" runs compare one one
contains "$err" "the runs do not differ"
expect 2 "$KML" runs compare one tow
contains "$err" 'did you mean "two"?'

# Parameters are shown as they were written. A comparison with a number treats them as numbers.
for version in 3.10 3.1; do
  expect 0 "$KML" submit --name "v${version/./-}" --wait --env "VER=$version" -- \
    sh -c 'echo accuracy/top1=0.5 calls=123456789 see http://h/?loss=9' sh "--py=$version" --id 007 --seed 123456789 --at 1e-4
done
expect 0 "$KML" runs compare v3-10 v3-1
[[ $out =~ py\ +3.10\ +3.1 && $out =~ env.VER\ +3.10\ +3.1 ]] || fail "$out"
expect 0 "$KML" runs --where 'py == "3.10"' --columns py,id,seed,calls,at
[[ $out =~ v3-10\ +3.10\ +007\ +123456789\ +123456789\ +1e-4$ && $out != *v3-1\ * ]] || fail "$out"
for where in 'py == 3.1 && at == 0.0001' 'at < 0.001 && py > 3' '"accuracy/top1" > 0.4' 'seed == 123456789'; do
  expect 0 "$KML" runs --where "$where" --sort at -o 'jsonpath={[*].name}'
  [ "$out" = "v3-10 v3-1" ] || fail "$where: $out"
done
expect 0 "$KML" runs export --where 'py == "3.10"'
contains "$out" ",1e-4,3.10,007,3.10,123456789,"
[[ $out != *loss* ]] || fail "$out"
expect 0 "$KML" runs --where 'py == "3.10"' -o 'jsonpath={[0].parameters.id} {[0].parameters.seed}'
[ "$out" = "007 123456789" ] || fail "$out"
expect 2 "$KML" runs --where '"accuracy/top2" > 0.4'
contains "$err" 'did you mean "accuracy/top1"?'
expect 2 "$KML" runs --where 'opt < 1'
contains "$err" "opt is a text"

expect 0 "$KML" runs tag two paper=yes draft=1
expect 0 "$KML" runs tag two draft-
expect 0 "$KML" runs note two 'the best so far'
expect 0 "$KML" runs --where 'tags.paper == "yes"' -o 'jsonpath={[*].name} {[*].tags} {[*].note}'
[ "$out" = 'two {"paper":"yes"} the best so far' ] || fail "$out"
# Names beyond ASCII, and names that need quotes.
expect 0 "$KML" runs tag two ö=x 'my paper=yes'
for where in 'tags.ö == "x"' '"tags.ö" == "x"' '"tags.my paper" == "yes"'; do
  expect 0 "$KML" runs --where "$where" -o 'jsonpath={[*].name}'
  [ "$out" = two ] || fail "$where: $out"
done
expect 0 "$KML" runs --where '"accuracy/top1" == null && name == "two"' -o 'jsonpath={[*].name}'
[ "$out" = two ] || fail "$out"
expect 2 "$KML" runs --where 'accuracy/top1 > 0.4'
contains "$err" 'put the name accuracy/top1 in quotes: '"'"'"accuracy/top1" …'
expect 2 "$KML" runs --where 'accuracy top1 > 0.4'
contains "$err" "put it in quotes: '\"val/acc\" > 0.9'"
expect 0 "$KML" runs tag two ö- 'my paper-'
expect 2 "$KML" runs tag two paper

expect 0 "$KML" runs export --where 'lr > 0'
[ "$(head -1 <<<"$out")" = "run,kind,name,target,user,time,finished,state,parameters.lr,parameters.opt,metrics.loss,metrics.step,tags.paper" ] || fail "$out"
[ "$(wc -l <<<"$out")" = 3 ] || fail "$out"

expect 0 "$KML" sweep run tune --param lr=0.1,0.2 --algorithm grid --trials 2 --minimize loss -- sh -c 'echo loss=$1' sh '{lr}'
expect 0 "$KML" runs --where 'kind == "sweep"'
[[ $out =~ sweep/tune\ +tune\ +Ended.*loss=0.1\ +lr=0.1 ]] || fail "$out"

# The metrics of a running job are not final.
expect 0 "$KML" submit --name slow -- sh -c 'echo loss=1; until [ -e go ]; do sleep 0.1; done; echo loss=0.0625'
has_said() { "$KML" logs "$1" | grep -q loss; }
eventually has_said slow
expect 0 "$KML" runs
touch go
has_ended() { "$KML" list --state succeeded -o name | grep -q slow; }
eventually has_ended
expect 0 "$KML" runs --where 'loss == 0.0625' -o 'jsonpath={[*].name}'
[ "$out" = slow ] || fail "$out"

# No command waited for the job; its metrics are read before it is deleted, even while it runs.
expect 0 "$KML" submit --name silent -- sh -c 'echo loss=0.125; sleep 10000'
eventually has_said silent
expect 0 "$KML" delete silent
expect 0 "$KML" runs --where 'loss == 0.125' -o 'jsonpath={[*].name} {[*].state}'
[ "$out" = "silent Cancelled" ] || fail "$out"
# kml also reads the metrics of a job that --replace deletes, and of a suspended job, whose pods are gone
# already.
expect 0 "$KML" submit --name again -- sh -c 'echo loss=0.375; sleep 10000'
eventually has_said again
expect 0 "$KML" submit --name again --replace -- sh -c 'echo loss=0.875; exec sleep "$1"' sh "1000.$$"
eventually has_said again
expect 0 "$KML" suspend again
has_stopped() { ! pgrep -f "sleep 1000.$$" >/dev/null; }
eventually has_stopped
expect 0 "$KML" delete again
for loss in 0.375 0.875; do
  expect 0 "$KML" runs --where "loss == $loss" -o 'jsonpath={[*].name} {[*].state}'
  [ "$out" = "again Cancelled" ] || fail "loss=$loss: $out"
done

# Each task of an array has its own metrics.
expect 0 "$KML" submit --name arr --array 1-3 --wait -- sh -c 'echo "loss=0.$KML_TASK"'
expect 0 "$KML" runs --where 'loss < 0.3 && task > 1' -o 'jsonpath={.*.name}'
[ "$out" = arr/2 ] || fail "$out"
expect 0 "$KML" runs compare arr/1 arr/3
[[ $out =~ loss\ +0.1\ +0.3 ]] || fail "$out"
# A task has its own tags and note. Once its job has ended, it does not run.
expect 0 "$KML" runs tag arr/2 best=yes
expect 0 "$KML" runs note arr/2 'the best task'
expect 0 "$KML" runs --where 'tags.best == "yes"' -o 'jsonpath={[*].name} {[*].tags.best} {[*].note}'
[ "$out" = "arr/2 yes the best task" ] || fail "$out"
expect 0 "$KML" submit --name left --array 0-1 -- sh -c 'echo "loss=0.$KML_TASK"; sleep 600'
expect 0 "$KML" wait left --for running
expect 0 "$KML" delete left
expect 0 "$KML" runs --where 'name == "left/0" && state == "Running"' -o 'jsonpath={[*].name}'
[ -z "$out" ] || fail "$out"

# A job on this machine records the interpreter of its command.
mkdir -p venv/bin
ln -s "$(type -P python3)" venv/bin/python
echo 'version = 3.99.1' >venv/pyvenv.cfg
expect 0 "$KML" submit --name with-system --wait -- python3 -c 'print("loss=1")'
expect 0 "$KML" submit --name with-venv --wait -- sh -c './venv/bin/python -c "print(\"loss=1\")"'
expect 0 "$KML" runs compare with-system with-venv
[[ $out =~ interpreter\ +$(type -P python3)\ +$PWD/venv/bin/python ]] || fail "$out"
[[ $out =~ python\ +3\.[0-9]+\ +3\.99\.1 ]] || fail "$out"
expect 0 "$KML" delete with-system with-venv
# kml's own jobs, such as those of kml gc, are not runs, but they are listed.
cat >own.yaml <<'Y'
{apiVersion: batch/v1, kind: Job, metadata: {name: kml-gc-1, annotations: {kml.dev/maintenance: "true"}}, spec: {template: {spec: {
  restartPolicy: Never, containers: [{name: main, image: none, command: ["true"]}]}}}}
Y
expect 0 "$KML" submit -f own.yaml
expect 0 "$KML" runs
[[ $out != *kml-gc* ]] || fail "$out"
expect 0 "$KML" sweep delete tune # it may have begun in the same second as the last submit
expect 0 "$KML" runs --limit 1 -o 'jsonpath={.*.name}'
[ "$out" = with-venv ] || fail "$out"
for command in list history; do
  expect 0 "$KML" $command
  contains "$out" kml-gc-1
done
expect 0 "$KML" delete kml-gc-1
