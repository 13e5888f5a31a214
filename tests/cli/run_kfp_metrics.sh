# What a Python component of a compiled pipeline writes to Output[Metrics] is compared between runs and pushed to MLflow,
# and the lineage of what it makes names its function.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project
cat >pipeline.yaml <<'EOF'
components:
  comp-train:
    executorLabel: exec-train
    inputDefinitions: {parameters: {depth: {parameterType: NUMBER_INTEGER}}}
    outputDefinitions:
      artifacts:
        scores: {artifactType: {schemaTitle: system.Metrics, schemaVersion: 0.0.1}}
        model: {artifactType: {schemaTitle: system.Model, schemaVersion: 0.0.1}}
deploymentSpec:
  executors:
    exec-train:
      container:
        image: python:3.12
        args: [--executor_input, "{{$}}", --function_to_execute, train]
        command:
        - python3
        - -c
        - |
          import json, os, sys
          given = json.loads(sys.argv[2])
          depth, made = given["inputs"]["parameterValues"]["depth"], given["outputs"]
          scores = made["artifacts"]["scores"]["artifacts"][0]
          scores["metadata"] = {"accuracy": 1 - 1 / depth, "loss": float("nan"), "split": "test"}
          open(made["artifacts"]["model"]["artifacts"][0]["uri"], "w").write("m")
          os.makedirs(os.path.dirname(made["outputFile"]), exist_ok=True)
          json.dump({"artifacts": {"scores": {"artifacts": [scores]}}}, open(made["outputFile"], "w"))
pipelineInfo: {name: forest}
root:
  dag:
    tasks:
      train:
        componentRef: {name: comp-train}
        inputs: {parameters: {depth: {componentInputParameter: depth}}}
  inputDefinitions: {parameters: {depth: {parameterType: NUMBER_INTEGER}}}
schemaVersion: 2.1.0
sdkVersion: kfp-2.17.3
EOF
expect 0 "$KML" run pipeline.yaml --name shallow -p depth=2
expect 0 "$KML" run pipeline.yaml --name deep -p depth=4

expect 0 "$KML" runs compare shallow deep
[[ $out =~ train\.accuracy\ .*0\.5\ .*0\.75 ]] || fail "$out"
[[ $out =~ depth\ .*2\ .*4 ]] || fail "$out"

python3 "$SOURCE/tests/support/fake_mlflow.py" "$work/port" & server=$!
trap 'status=$?; kill $server 2>/dev/null || true; finish $status' EXIT
eventually test -s "$work/port"
uri=http://127.0.0.1:$(cat "$work/port")
expect 0 "$KML" runs push shallow deep --mlflow "$uri"
curl -s "$uri/state" >state.json
python3 - <<'P'
import json
runs = {run["name"]: run for run in json.load(open("state.json"))["runs"]}
pushed = {name: {metric[0]: metric[2] for metric in run["metrics"]} for name, run in runs.items()}
for name, accuracy in [("shallow", 0.5), ("deep", 0.75)]:
    assert pushed[name]["train.accuracy"] == accuracy and pushed[name]["train.loss"] == "NaN", pushed
    assert not any("split" in metric for metric in pushed[name]), pushed
P

expect 0 "$KML" artifact lineage deep/train.model
contains "$out" "function: train"
[[ $out != *"import json"* ]] || fail "the whole program is shown: $out"
expect 0 "$KML" artifact lineage deep/train.model -o 'jsonpath={.made.function}'
[ "$out" = train ] || fail "$out"
