# What commands print with -o json has the form that `kml schema` publishes.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus a100:2 >/dev/null 2>&1

# answers COMMAND...: runs kml, and checks its output by the schema SCHEMA.
answers() {
  local got=0
  "$KML" "$@" >answer 2>notes || got=$?
  [ "$got" = "${WANT:-0}" ] || fail "exit $got: kml $*"$'\n'"$(cat answer notes)"
  [ -z "${WANT:-}" ] || sed -n '/^{$/,$p' notes >answer # after the notes
  python3 "$SOURCE/tests/support/json_schema.py" "$SOURCE/docs/schemas/$SCHEMA.json" ${LINES_:-} <answer 2>faults ||
    fail "kml $*: $(cat faults)"$'\n'"$(head -c 2000 answer)"
}
is() { [ "$("$KML" list "$1" -o jsonpath='{.items[*].status.conditions[*].type}' | grep -c "$2")" = 1 ]; }

for command in list queue history runs timeline usage serve-list schedule-list top-nodes top-jobs; do
  SCHEMA=$command answers ${command/-/ } -o json
done
SCHEMA=submit answers submit -o json --name good --wait -- sh -c 'echo "step=1 loss=0.5"; echo loss=nan' sh --lr 0.1
SCHEMA=submit answers submit -o json --dry-run --name two --code "$SOURCE/docs/schemas" -- true
SCHEMA=submit answers submit -o json --name bad -- sh -c 'echo broken; exit 7'
eventually is bad Failed
SCHEMA=submit answers submit -o json --name runs --gpus a100:2 --time-limit 1h -- sleep 10000
runs() { "$KML" list --no-headers | grep -q 'runs .*Running'; }
eventually runs
SCHEMA=submit answers submit -o json --name waits --gpus 1 --array 0-3 -- true
SCHEMA=submit answers submit -o json --name huge --no-check --gpus 64 -- true
SCHEMA=plan answers submit -o json --plan plan.json --name planned --gpus 1 -- true
for i in 1 2; do SCHEMA=apply answers apply plan.json -o json; done
SCHEMA=list answers list -o json
SCHEMA=list answers list nodes -o json
SCHEMA=list-brief answers list -o brief
SCHEMA=list-brief answers list -o brief --state failed
expect 2 "$KML" list nodes -o brief
contains "$err" "-o brief applies to jobs"
SCHEMA=status answers status bad -o json
SCHEMA=status answers status bad good -o json
SCHEMA=queue answers queue -o json
SCHEMA=queue answers queue -A --start -o json
for job in good bad runs waits huge; do SCHEMA=why answers why "$job" -o json; done
SCHEMA=logs LINES_=--lines answers logs good -o json
SCHEMA=logs LINES_=--lines answers logs bad --first-error -o json
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}}' >settings.json
expect 0 "$KML" submit -f settings.json # a run without jobs
SCHEMA=runs answers runs -o json
SCHEMA=history answers history -o json
SCHEMA=history answers history bad -o json
SCHEMA=top-nodes answers top nodes -o json
SCHEMA=top-jobs answers top jobs -o json
SCHEMA=version answers version -o json
for job in good runs; do SCHEMA=eff answers eff "$job" -o json; done
SCHEMA=usage answers usage -o json
SCHEMA=timeline answers timeline -o json
for when in "--cron=0 3 * * *" "--at=+9h"; do "$KML" submit --name "s${#when}" "$when" -- true >/dev/null 2>&1; done
SCHEMA=schedule-list answers schedule list -o json
SCHEMA=doctor answers doctor -o json
SCHEMA=local-status answers local status -o json
SCHEMA=config-view answers config view -o json
SCHEMA=config-contexts answers config contexts -o json
SCHEMA=env-list answers env list -o json
SCHEMA=rerun answers rerun good -o json
SCHEMA=serve-list answers serve list -o json
SCHEMA=runs answers runs -o json # with those of schedules
SCHEMA=runs-compare answers runs compare good bad -o json
SCHEMA=hang answers hang runs -o json

echo 'for e in 1 2 3; do echo "epoch=$e loss=0.$e size=$2"; done; [ "$1" != 2 ] || { echo broken >&2; exit 1; }' >trial.sh
"$KML" sweep run tuned --param lr=1,2,3,4 --minimize loss --early-stopping asha --resource epoch:1..3 -- sh trial.sh '{lr}' 1 >/dev/null 2>&1
"$KML" sweep run front --param lr=1,3 --param size=1,2 --algorithm grid --minimize loss --maximize size -- sh trial.sh '{lr}' '{size}' >/dev/null 2>&1
mkdir -p "$XDG_STATE_HOME/kml/sweeps/damaged" && echo nothing >"$XDG_STATE_HOME/kml/sweeps/damaged/journal.jsonl"
SCHEMA=sweep-list answers sweep list -o json
for sweep in tuned front; do
  for command in status best replay; do SCHEMA=sweep-$command answers sweep $command $sweep -o json; done
done
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  params: {size: 3}
  steps:
    load: {command: [sh, -c, 'echo ${params.size} >"${out.train}"; echo rows=5'], outputs: {train: dataset, rows: metric}}
    train: {inputs: {train: load.train}, command: [cp, "${in.train}", "${out.model}"], outputs: {model: model}}
    check: {inputs: {model: train.model}, command: [sh, -c, 'exit 3', "${in.model}"]}
    last: {after: [check], command: [echo, end]}
Y
SCHEMA=run answers run pipeline.yaml --dry-run -o json
for run in r1 r2; do "$KML" run pipeline.yaml --name $run >/dev/null 2>&1 || [ $? = 3 ]; done
SCHEMA=run-list answers run list -o json
for run in r1 r2; do SCHEMA=run-status answers run status $run -o json; done
"$KML" artifact pin r1/train.model >/dev/null
SCHEMA=artifact-list answers artifact list -o json
SCHEMA=artifact-lineage answers artifact lineage r2/train.model -o json
SCHEMA=artifact-lineage answers artifact lineage r1/load.train --down -o json
SCHEMA=gc answers gc --dry-run -o json
SCHEMA=template-list answers template list -o json
SCHEMA=template-check answers template check job pytorchjob -o json
SCHEMA=kind-list answers kind list -o json
SCHEMA=plan answers sweep run s9 --param lr=1,2 --minimize loss --plan plan.json -o json -- sh trial.sh '{lr}' 1
SCHEMA=plan answers serve web --plan plan.json -o json -- true
SCHEMA=plan answers run pipeline.yaml --plan plan.json -o json
SCHEMA=sweep-export LINES_=--lines answers sweep export tuned -o jsonl
SCHEMA=runs-export LINES_=--lines answers runs export -o json
"$KML" config alias mine -- list --mine >/dev/null
SCHEMA=config-alias answers config alias -o json
SCHEMA=local-kubeconfig answers local kubeconfig -o json
(mkdir trusted && cd trusted && "$KML" config init >/dev/null 2>&1)
SCHEMA=trust answers trust --list -o json
"$KML" ui -o json | sed '/"synced"/q' >answer
grep -q '"set"' answer || fail "$(cat answer)"
python3 "$SOURCE/tests/support/json_schema.py" "$SOURCE/docs/schemas/ui.json" --lines <answer || fail "kml ui: $(cat answer)"
mkdir registry
python3 "$SOURCE/tests/support/fake_registry.py" registry & registry=$!
trap 'status=$?; kill $registry; finish $status' EXIT
eventually test -f registry/port
at=localhost:$(cat registry/port)
SCHEMA=image-append answers image append "$at/base/python:3" --code "$SOURCE/docs/schemas" --tag "$at/x" -o json
SCHEMA=error WANT=1 answers why absent -o json
SCHEMA=error WANT=1 answers submit -f missing.yaml -o json
SCHEMA=error WANT=2 answers queue -o json --sort nothing
for queue in a b; do
  echo "{apiVersion: batch/v1, kind: Job, metadata: {name: $queue}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, command: [\"true\"], imagee: x}]}}}}"
  echo ---
done >wrong.yaml
SCHEMA=error WANT=2 answers submit -f wrong.yaml -o json

"$KML" local down --force >/dev/null 2>&1
SCHEMA=local-status answers local status -o json
SCHEMA=local-check answers local check -o json

# kml contains these schemas.
expect 0 "$KML" schema
[ "$(wc -l <<<"$out")" = "$(ls "$SOURCE"/docs/schemas/*.json | wc -l)" ] || fail "$out"
# Every command that prints JSON has a schema. If -o is only for --plan, the schema is that of `plan`.
python3 - "$SOURCE" >missing <<'P'
import pathlib, re, sys
source = pathlib.Path(sys.argv[1])
for page in sorted(source.glob("man/kml-*.1")):
    for part in re.split(r"\n(?=\.SH kml )", page.read_text().replace("\\-", "-")):
        heading = re.match(r'\.SH "?kml ([a-z -]+)', part)
        command = (heading[1] if heading else page.stem.removeprefix("kml-")).strip().replace(" ", "-")
        output = re.search(r"-o, --output\\fR[^\n]*\n([^\n]*)", part)
        is_data = output and "json" in output[0].lower() and not output[1].startswith("With --plan")
        if is_data and not (source / f"docs/schemas/{command}.json").exists():
            print(command)
P
[ ! -s missing ] || fail "without a schema: $(cat missing)"
while read -r command; do "$KML" schema $command | diff - "$SOURCE/docs/schemas/${command// /-}.json"; done <<<"$out"
expect 2 "$KML" schema queu
contains "$err" 'did you mean "queue"'
