# Runs of pipelines and submits with artifacts are compared like plain submits: by parameters, metrics with their
# history, contents of files, commit, and attempts.
. "$(dirname "$0")/lib.sh"
git init -q . && git config user.name Ana && git config user.email ana@example.org
cat >train.sh <<'S'
for epoch in 1 2; do echo "epoch=$epoch accuracy=0.$epoch$1"; done
echo "$1" >"$2"
S
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: digits}
spec:
  params: {depth: {type: int, default: 5}}
  steps:
    train:
      code: {paths: [train.sh]}
      command: [sh, train.sh, '${params.depth}', '${out.model}']
      outputs: {model: model, accuracy: metric}
Y
git add train.sh pipeline.yaml && git commit -qm one
commit=$(git rev-parse HEAD)

# Tests a submit whose output is stored even if no command waits for the job, and a submit with a variable.
expect 0 "$KML" submit --name first --output model=model -- sh train.sh 1 model --lr=0.1
expect 0 "$KML" submit --name second --output model=model --env DEPTH=7 --wait -- sh train.sh 2 model --lr 0.2
has_metrics() { [ "$("$KML" runs --where 'lr < 0.15' -o 'jsonpath={[*].name} {[*].metrics.accuracy.last}')" = "first 0.21" ]; }
eventually has_metrics
expect 0 "$KML" runs --sort accuracy:desc -o 'jsonpath={[*].name} {[0].metrics.accuracy.max} {[0].parameters.env\.DEPTH}'
[ "$out" = "second first 0.22 7" ] || fail "$out"
expect 0 "$KML" runs compare first second
[[ $out =~ accuracy\ +0.21\ +0.22 && $out =~ lr\ +0.1\ +0.2 && $out == *"job.model"* ]] || fail "$out"

# A pipeline's metric is also found by its short name. A run with cached results differs only in its time and its
# attempts.
run() { expect 0 "$KML" run pipeline.yaml --name "$@"; }
run one
run two -p depth=6
run again
expect 0 "$KML" runs --where 'accuracy > 0.255' --sort accuracy -o 'jsonpath={[*].name}'
[ "$out" = two ] || fail "$out"
expect 0 "$KML" runs compare one again --all
[ "$(grep -v -e 'run time' -e attempts <<<"$out" | awk 'NR > 1 && $(NF) != $(NF-1)' | wc -l)" = 0 ] || fail "$out"
expect 0 "$KML" runs --where 'name == "one"' -o 'jsonpath={[0].facts.commit} {[0].user}'
[ "$out" = "$commit $(id -un)" ] || fail "$out"
sed -i 's/accuracy=0./accuracy=0.0/' train.sh
run changed
expect 0 "$KML" runs compare one changed
contains "$out" "train file train.sh"
[[ ! $out =~ attempts ]] || fail "both ran one job: $out"
contains "$out" "changes"
[[ $out != *command* && $out != *pipeline.yaml* ]] || fail "what is equal is shown: $out"
expect 0 "$KML" runs report one two -o page.html
grep -q '"train.accuracy"' page.html || fail "no course of the metric"
[ "$(cut -f 1-3 "$XDG_STATE_HOME/kml/metrics/"*one.tsv)" = $'train.accuracy\t1\t0.15\ntrain.accuracy\t2\t0.25' ] || fail "$(ls "$XDG_STATE_HOME/kml/metrics"; cat "$XDG_STATE_HOME"/kml/metrics/*one.tsv)"

# A submit with artifacts is submitted again in its folder; for a pipeline, kml names the command.
mkdir elsewhere && cd elsewhere
expect 0 "$KML" rerun first --set-arg lr=0.3 --name third --wait
contains "$err" "has changed since run first"
cd ..
expect 0 "$KML" runs --where 'lr == 0.3' -o 'jsonpath={[*].name} {[*].metrics.accuracy.last}'
[ "$out" = "third 0.021" ] || fail "$out"
expect 0 "$KML" artifact get third/job.model
[ "$out" = 1 ] || fail "$out"
expect 0 "$KML" rerun second --name fourth --wait
expect 0 "$KML" runs --where 'name == "fourth"' -o 'jsonpath={[0].parameters.env\.DEPTH} {[0].parameters.lr}'
[ "$out" = "7 0.2" ] || fail "$out"
expect 2 "$KML" rerun two
contains "$err" "kml run $work/pipeline.yaml -p depth=6"

# If the cluster of a pipeline is unreachable, the data recorded before is shown.
kubeconfig_of_cluster
mkdir "$XDG_STATE_HOME/kml/engines"
text=$(python3 -c 'import json, sys; print(json.dumps(sys.stdin.read()))' <pipeline.yaml)
cat >"$XDG_STATE_HOME/kml/engines/0123456789abcdef.jsonl" <<J
{"context": "there", "id": "0123456789abcdef", "kind": "run", "name": "away", "namespace": "ml", "user": "ana", "version": "7"}
{"what": "run", "time": "2026-11-20T08:00:00Z", "name": "away", "id": "0123456789abcdef", "file": "pipeline.yaml", "text": $text, "params": {"depth": 4}}
{"what": "begun", "time": "2026-11-20T08:00:01Z", "step": "train", "attempt": 0, "job": "away-train", "key": "k", "parts": {}, "inputs": {}}
{"what": "ended", "time": "2026-11-20T08:00:09Z", "step": "train", "isDone": true, "outputs": {"accuracy": {"value": 0.9}, "model": {"digest": "$(printf %064d 7)", "bytes": 2, "files": 1, "path": "pvc/data/away/model", "onClaim": "away/model", "target": "there/ml"}}, "cause": "", "imageId": "python@sha256:12ab"}
{"what": "end", "time": "2026-11-20T08:00:10Z", "outcome": "succeeded"}
J
export KUBECONFIG=$PWD/kubeconfig
expect 0 "$KML" runs tag away paper=yes
expect 0 "$KML" runs --where 'accuracy > 0.8 && tags.paper == "yes"'
[[ $out =~ 01234567\ +away\ +Succeeded.*depth=4 ]] || fail "$out"
contains "$err" "sweeps and pipelines in the cluster could not be read"
expect 0 "$KML" runs compare one away --all
[[ $out =~ train\ image\ digest\ +-\ +sha256:12ab ]] || fail "$out"
expect 0 "$KML" runs report away -o away.html
grep -q '"away/train.model"' away.html || fail "the report has no artifact"
python3 "$SOURCE/tests/support/fake_mlflow.py" port & server=$!
trap 'status=$?; kill $server 2>/dev/null || true; finish $status' EXIT
eventually test -s port
expect 0 "$KML" runs push away --artifacts --mlflow "http://127.0.0.1:$(cat port)"
contains "$err" "away/train.model is not sent: it is pvc/data/away/model on a volume of the cluster"
