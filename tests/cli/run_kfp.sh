# Compiled Kubeflow pipelines run on this machine: parameters of all types, artifacts with metadata, nested pipelines,
# true and false conditions, loops, exit handlers, and containers with arguments that depend on their inputs.
export KML_KFP_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kml PIP_CACHE_DIR=${PIP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/pip}
. "$(dirname "$0")/lib.sh"

python=$SOURCE/tests/peers/kfp/python
"$python" -W ignore "$SOURCE/tests/peers/kfp/compile.py" . || fail "the pipelines were not compiled"

# outputs CODE FILE FLAGS...: runs the file. Sets $outputs to a line "STEP STATE OUTPUT=VALUE ..." for each step. A
# cached step is shown as done.
outputs() {
  expect "$1" timeout 1000 "$KML" run "${@:2}"
  run=$(sed -n 's/^kml: run \([^ ]*\)$/\1/p' <<<"$err")
  outputs=$("$KML" run status "$run" -o json | python3 -c '
import json, sys
for step in json.load(sys.stdin)["steps"]:
    made = step["outputs"]
    state = step["state"].replace("cached", "done")
    print(step["name"], state, *(name + "=" + json.dumps(made[name]["value"]) for name in sorted(made) if "value" in made[name]))')
}
has() { grep -qxF -- "$1" <<<"$outputs" || fail "no line \"$1\" in:"$'\n'"$outputs"; }

outputs 0 parameters.yaml -p n=41 -p s='two words' -p b=false -p items='[5]' -p d='{"k": 2}'
has 'types done b=true d={"k": 2} f=0.5 i=42 l=[5, 4] s="two words" seen="int=41 float=0.5 str=two words bool=False list=[5] dict={'"'k'"': 2} NoneType=None int=7"'
has 'echo done Output="two words-41"'
expect 0 timeout 1000 "$KML" run parameters.yaml --dry-run -p n=42 -p s='two words' -p b=false -p items='[5]' -p d='{"k": 2}'
contains "$out" 'param n: 41 -> 42'
expect 2 timeout 1000 "$KML" run parameters.yaml -p n=many
expect 2 timeout 1000 "$KML" run parameters.yaml -p m=1
contains "$err" 'no parameter "m"'

printf 'a\nb\n' >imported.txt
outputs 0 artifacts.yaml -p file=imported.txt
has 'inner-read done Output="3 lines, 3 rows, True"'
has 'echo done Output="3 lines, 3 rows, True"'
has 'read done Output="2 lines, 9 rows, True"'
contains "$out" 'accuracy=0.5'
# Numbers that a step writes to Output[Metrics] are metrics of the run.
expect 0 "$KML" runs --where 'accuracy == 0.5 && state == "succeeded"' -o 'jsonpath={[*].name}'
[ "$out" = "$run" ] || fail "runs: $out"
expect 0 "$KML" runs --columns accuracy
contains "$out" 0.5
echo c >>imported.txt
outputs 0 artifacts.yaml -p file=imported.txt
contains "$out" 'inner-read cached'
contains "$out" 'importer done'
has 'read done Output="3 lines, 9 rows, True"'

outputs 0 conditions.yaml
has 'echo-4 done Output="big"'
has 'echo-6 done Output="quoted"'
outputs 0 conditions.yaml -p n=2 -p name=other
has 'echo skipped'
has 'echo-4 done Output="two"'
has 'echo-6 skipped'
outputs 0 conditions.yaml -p n=1
has 'echo-4 done Output="small"'

outputs 0 loops.yaml
has 'total done Output=12'
has 'for-loop-1-1-echo done Output="two"'
has 'for-loop-1-0-echo skipped'
has 'for-loop-4-1-shell done result="--name c count=1! --greeting d\n"'
has 'join-models done Output=2'
outputs 0 loops.yaml -p items='[10, 20, 30, 40]'
has 'total done Output=200'

outputs 0 upstream.yaml
has 'for-loop-1 done'
has 'for-loop-1-2-double done Output=4'
has 'total done Output=6'
outputs 0 upstream.yaml -p n=4
has 'total done Output=12'
contains "$out" 'for-loop-1-2-double cached'

outputs 0 exits.yaml
has 'cleanup done Output="exit-handler-1 SUCCEEDED without a message"'
outputs 3 exits.yaml -p wish=true
has 'fail-if failed'
has 'echo waiting'
has 'cleanup done Output="exit-handler-1 FAILED with a message"'

outputs 0 forgiven.yaml
has 'echo skipped'
has 'echo-2 done Output="always"'

outputs 0 containers.yaml
has 'shell done result="--name ana count=2! --silent\n"'
has 'show done text="--name ana count=2! --silent\n"'
has 'shell-2 done result="--name ben count=3! --greeting hello\n"'

# The example's file is compiled and read, but not run, because that would download scikit-learn.
cp "$SOURCE/examples/iris/kfp_pipeline.py" .
"$python" -W ignore kfp_pipeline.py
expect 0 timeout 1000 "$KML" run kfp_pipeline.yaml --dry-run
contains "$out" 'runs if train.Output >= 0.9'
