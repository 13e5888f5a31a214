# In these commands, a metric has the value from its greatest step, even if this value is NaN or infinity. No
# comparison with NaN is true, and values that are not finite are sorted last.
. "$(dirname "$0")/lib.sh"
run() { expect 0 "$KML" submit --name "$1" --wait -- printf "$2"; }
run good 'step=1 loss=0.5\nstep=2 loss=0.25\n'
run bad 'step=1 loss=0.125\nstep=2 loss=nan\n'
run up 'loss=0.125\nloss=inf\n'                               # without steps, the last one
run down '{"epoch": 1, "loss": 0.125}\n{"epoch": 2, "loss": -Infinity}\n'
run late 'step=3 loss=1\nstep=1 loss=0.0625\n'                # printed last, but of an earlier step
run again 'epoch=1 step=1 loss=9\nepoch=1 step=9 loss=8\nepoch=2 step=1 loss=nan\n' # the step begins again in each epoch
run mixed 'step=100 loss=7\nepoch=1 loss=6\nloss=3\n'         # the last line names no step

last() { "$KML" runs --where "name == \"$1\"" -o 'jsonpath={[0].metrics.loss.last} {[0].metrics.loss.min} {[0].metrics.loss.max}'; }
while read -r name want; do
  [ "$(last "$name")" = "$want" ] || fail "$name: $(last "$name"), not $want"
done <<'Y'
good 0.25 0.25 0.5
bad NaN 0.125 0.125
up Infinity 0.125 Infinity
down -Infinity -Infinity 0.125
late 1 0.0625 1
again NaN 8 9
mixed 3 3 7
Y

where() { expect 0 "$KML" runs --where "$1" --sort name -o 'jsonpath={[*].name}'; [ "$out" = "$2" ] || fail "$1: $out, not $2"; }
where 'loss < 2' 'down good late'
where 'loss > 0.25' 'late mixed up'
where 'loss == loss' 'down good late mixed up'
where 'loss != 0.25' 'down late mixed up'
where '!(loss < 2)' 'mixed up'
where 'loss == inf' up
where 'loss == -inf || loss == Infinity' 'down up'
where 'isnan(loss)' 'again bad'
where '!isnan(loss)' 'down good late mixed up'
where 'isnan("loss") || loss == inf || loss == -inf' 'again bad down up'
where 'isnan(loss) && name == "bad"' bad
where 'isnan(loss.max)' ''
for condition in 'loss == nan' 'loss != NaN' 'state == "failed" || loss == nan'; do
  expect 2 "$KML" runs --where "$condition"
  contains "$err" "a comparison with NaN is never true"
  contains "$err" "isnan(loss)"
done
where 'loss < 2 || state == "succeeded"' 'again bad down good late mixed up'
where 'state == "SUCCEEDED" && kind == "Job" && name == "bad"' bad
where 'state == "Failed"' ''
expect 0 "$KML" runs --sort loss -o 'jsonpath={[*].name}'
[[ $out =~ ^good\ late\ mixed\ down\ up\ (bad\ again|again\ bad)$ ]] || fail "$out"
expect 0 "$KML" runs --sort loss:desc -o 'jsonpath={[*].name}'
[[ $out =~ ^mixed\ late\ good\ up\ down\ (bad\ again|again\ bad)$ ]] || fail "$out"
expect 0 "$KML" runs --sort loss:desc --limit 1 -o 'jsonpath={[*].name}'
[ "$out" = mixed ] || fail "$out"

expect 0 "$KML" runs
[[ $out =~ bad\ +Succeeded.*loss=NaN ]] || fail "$out"
expect 0 "$KML" runs compare good bad
[[ $out =~ loss\ +0.25\ +NaN ]] || fail "$out"
expect 0 "$KML" runs export
python3 - <<P || fail "$out"
import csv, io, math
losses = {row["name"]: float(row["metrics.loss"]) for row in csv.DictReader(io.StringIO(r"""$out"""))}
assert math.isnan(losses["bad"]) and losses["up"] == math.inf and losses["down"] == -math.inf and losses["late"] == 1, losses
P
expect 0 "$KML" runs export -o json --where 'name == "bad"'
contains "$out" '"last":"NaN"'
expect 0 "$KML" logs --metrics bad
[[ $out =~ NaN\ ▄× ]] || fail "$out"
expect 0 "$KML" logs --metrics late
[[ $out =~ 3\ +1\  ]] || fail "$out"

# A run that lacks a value meets no condition on this value, not even !=, unless the condition asks for null.
run none 'acc=1\n'
where 'loss != 0.25 && name != "mixed"' 'down late up'
where '!(loss == 0.25) && name != "mixed"' 'down late up'
where 'loss == null' none
where 'isnan(loss)' 'again bad'
where 'isnan(loss) || loss == null' 'again bad none'
where 'loss != 1 || acc == 1' 'down good mixed none up'

# Tests a NaN while the job still runs.
expect 0 "$KML" submit --name runs -- sh -c 'echo step=1 loss=0.5; echo step=2 loss=nan; sleep 1000'
shows() { "$KML" top jobs | grep -q 'loss=NaN'; }
eventually shows
expect 0 "$KML" top jobs -o json
contains "$out" '"loss": "NaN"'

# Tests a pipeline's metric, and trials of a sweep.
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: odd}
spec:
  steps:
    train: {command: [printf, 'step=1 loss=0.5\nstep=2 loss=nan\n'], outputs: {loss: metric}}
    other: {command: [printf, 'step=2 acc=0.5\nstep=1 acc=0.75\n'], outputs: {acc: metric}}
Y
expect 0 "$KML" run pipeline.yaml --name odd-1
expect 0 "$KML" runs --where 'kind == "pipeline"' -o 'jsonpath={[0].metrics.train\.loss.last} {[0].metrics.other\.acc.last}'
[ "$out" = "NaN 0.5" ] || fail "$out"
expect 0 "$KML" sweep run front --param x=1,2 --trials 2 --algorithm grid --minimize loss --maximize acc -- \
  sh -c 'echo step=1 loss=0.5 acc=$([ $0 = 1 ] && echo inf || echo 1)' '{x}'
expect 0 "$KML" sweep status front
[[ $out =~ diverged.*acc\ is\ not\ a\ finite\ number ]] || fail "$out"
for algorithm in grid tpe; do
  expect 0 "$KML" sweep run "s-$algorithm" --param x=1,2,3 --algorithm $algorithm --trials 3 --minimize loss -- \
    sh -c 'case $0 in 1) printf "step=1 loss=0.125\nstep=2 loss=nan\n";; 2) printf "step=2 loss=0.5\nstep=1 loss=0.25\n";;
      *) printf "step=1 loss=0.75\nstep=2 loss=0.75\n";; esac' '{x}'
  expect 0 "$KML" sweep status "s-$algorithm"
  [[ $out =~ diverged\ +NaN\ +2\  ]] || fail "$out"
  expect 0 "$KML" sweep best "s-$algorithm" -o json
  expect 0 "$KML" sweep status "s-$algorithm" -o 'jsonpath={.trials[*].value}'
  [[ $out =~ NaN ]] || fail "$out"
  expect 0 "$KML" runs --where "name == \"s-$algorithm\"" -o 'jsonpath={[0].metrics.loss.last}'
  [ "$out" = 0.5 ] || fail "$out"
done
