# Weights & Biases sweep files run unchanged: the program gets its flags with values from the file.
. "$(dirname "$0")/lib.sh"
cat >train.py <<'P'
import argparse
parser = argparse.ArgumentParser()
for name in "lr", "batch_size", "epochs", "optimizer":
    parser.add_argument("--" + name)
flags = parser.parse_args()
assert flags.epochs == "5" and flags.optimizer in ("adam", "sgd")
print(f"val_loss={float(flags.lr) * int(flags.batch_size)}")
P
cat >random.yaml <<'Y'
program: train.py
name: first
method: random
run_cap: 3
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  batch_size: {values: [16, 32, 64]}
  epochs: {value: 5}
  optimizer: {values: [adam, sgd]}
command: ["${interpreter}", "${program}", "${args}"]
Y
expect 0 "$KML" sweep run -f random.yaml
contains "$err" "first: 3 of 3 trials done"
expect 0 "$KML" sweep export first
[ "$(wc -l <<<"$out")" = 4 ] || fail "$out"
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $at["state"] != "complete" || $at["lr"] < 0.0001 || $at["lr"] > 0.1 || $at["batch_size"] !~ /^(16|32|64)$/ { exit 1 }
  ($at["val_loss"] - $at["lr"] * $at["batch_size"]) ^ 2 > 1e-12 { exit 1 }' <<<"$out" || fail "$out"

sed '/method:/s/random/grid/; s/name: first/name: second/; /run_cap/d; s/lr: .*/lr: {values: [0.1, 0.01]}/; s/16, 32, 64/16/' random.yaml >grid.yaml
expect 0 "$KML" sweep run -f grid.yaml
contains "$err" "second: 4 of 4 trials done"
[[ $err != *"without run_cap"* ]] || fail "$err"
expect 0 "$KML" sweep best second
contains "$out" "lr=0.01"

# A program gets its values in the same form as from W&B's agent. If the file specifies no name for the
# sweep, the file's own name is used.
cat >spell.py <<'P'
import json, sys
assert sys.argv[1] == "--amp=True" and sys.argv[2] == "--data=None" and sys.argv[3] in ("--net={'depth': 2}", "--net={'depth': 4}"), sys.argv
assert 0 <= float(sys.argv[4].removeprefix("--p=")) <= 1 and "." in sys.argv[4], sys.argv
assert sys.argv[5:7] == ["{lr}", "${args}x"], sys.argv
given = json.loads(sys.argv[7])
assert given["amp"] is True and given["data"] is None and given["net"]["depth"] in (2, 4), given
assert json.load(open(sys.argv[8])) == given
print("loss=1")
P
cat >my_spelling.yaml <<'Y'
program: spell.py
method: random
run_cap: 4
metric: {name: loss}
parameters:
  amp: {value: true}
  data: {value: null}
  net: {parameters: {depth: {values: [2, 4]}}}
  p: {min: 0.0, max: 1.0}
command: ["${interpreter}", "${program}", "${args}", "{lr}", "${args}x", "${args_json}", "${args_json_file}"]
Y
expect 0 "$KML" sweep run -f my_spelling.yaml
contains "$err" "my-spelling: 4 of 4 trials done"
expect 0 "$KML" sweep export my-spelling
! grep -q failed <<<"$out" || fail "$out"

# kml prints which values a default setting of the search leaves untried.
sed '/run_cap/d; s/p: .*/p: {values: [1.5]}/; s/depth: .*/depth: {min: 1, max: 200}}}/' my_spelling.yaml >many.yaml
printf 'print("loss=1")\n' >spell.py
expect 0 "$KML" sweep run -f many.yaml --parallel 20
contains "$err" "without run_cap"
contains "$err" "100 of 200 points were not tried: 100 trials is the default; \`kml sweep resume many --trials 200\` continues"

# All trials are compared at each of W&B's bands.
sed '/^name:/d; s/run_cap: 3/run_cap: 16/; $a early_terminate: {type: hyperband, max_iter: 100, s: 3}' random.yaml >'Übung 1.yaml'
expect 0 "$KML" sweep run -f 'Übung 1.yaml' --dry-run
contains "$out$err" "ubung-1: 16 trials"
contains "$out$err" "rungs of step: 3, 11, 33, 100 (16 trials)"

# Unsupported settings are named.
sed 's/log_uniform_values/beta/' random.yaml >other.yaml
expect 2 "$KML" sweep run -f other.yaml
contains "$err" "other.yaml:$(sed -n /beta/= other.yaml):8 parameters.lr.distribution: W&B's manual has no distribution \"beta\""
for distribution in constant categorical categorical_w_probabilities; do
  sed "s/^  lr: .*/  lr: {distribution: $distribution}/" random.yaml >other.yaml
  expect 2 "$KML" sweep run -f other.yaml
  contains "$err" "is missing, and distribution \"$distribution\" needs it"
done
sed 's/^command:.*/command: [python, "${envvar:low}"]/' random.yaml >other.yaml
expect 2 "$KML" sweep run -f other.yaml
contains "$err" "other.yaml:$(wc -l <other.yaml):1 command: "
# A variable in the command is filled in for each trial; a variable that is not set stays as its name.
cat >variables.yaml <<'Y'
program: train.py
method: grid
metric: {name: loss}
parameters: {x: {values: [1, 2]}}
command: [sh, -c, 'echo "$0 $1 $2"; echo loss=1', "${envvar:WHO}", "to=${envvar:NOT_SET}", "${args}"]
Y
expect 0 "$KML" sweep run -f variables.yaml --env WHO="an a"
! grep -q "is set here" <<<"$err" || fail "$err"
expect 0 "$KML" sweep logs variables 1
contains "$out" "an a to=NOT_SET --x=2"
# W&B's agent takes variables from its own environment.
WHO="an a" expect 0 "$KML" sweep run others -f variables.yaml --dry-run
contains "$err" "WHO is set here, but not in the trials"
contains "$err" "--env WHO copies its value"
WHO="an a" expect 0 "$KML" sweep run -f variables.yaml --replace --env WHO
! grep -q "is set here" <<<"$err" || fail "$err"
expect 0 "$KML" sweep logs variables 1
contains "$out" "an a to=NOT_SET --x=2"

# A name on the command line names a sweep whose file specifies none; a file from standard input needs one.
# y and n are ordinary names and values.
sed '/^name:/d; s/  epochs: .*/  n: {values: [y, n]}/; s/optimizer: .*/optimizer: {value: sgd}/' random.yaml >letters.yaml
expect 2 "$KML" sweep run -f - <letters.yaml
contains "$err" "kml sweep run NAME -f -"
cat >train.py <<'P'
import sys
assert "--n=y" in sys.argv or "--n=n" in sys.argv, sys.argv
print("val_loss=1")
P
expect 0 "$KML" sweep run other -f letters.yaml
contains "$err" "other: 3 of 3 trials done"
contains "$err" "best val_loss 1"
