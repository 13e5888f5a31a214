# Shows GPU hours of running, ended, preempted, cancelled and deleted jobs.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up --fake-gpus 2
cat >urgent.yaml <<'END'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
END
expect 0 "$KML" submit -f urgent.yaml
expect 0 "$KML" usage
contains "$err" "no jobs have run since"

# The first attempt does ten steps and is preempted; the second continues at the sixth step.
cat >steps.sh <<'END'
start=$(date -u +%Y-%m-%dT%H:%M:%SZ)
say() { echo "kml-attempt: {\"attempt\":$1,\"pod\":\"$HOSTNAME\",\"start\":\"$2\",\"first_step\":$3,\"last_step\":$4$5}"; }
if [ -e first ]; then
  cat first
  say 2 "$start" 5 9 ""
  exit
fi
trap 'say 1 "$start" 0 9 ",\"end\":\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\",\"reason\":\"SIGTERM\"" >first; exit 143' TERM
sleep 2
touch began
while :; do sleep 0.05; done
END
expect 0 "$KML" submit --name bert --gpus 2 --label project=vision --chdir "$work" -- bash steps.sh
began() { [ -e began ]; }
eventually began
expect 0 "$KML" submit --name rival --gpus 1 --priority urgent --wait -- sleep 1
expect 0 "$KML" wait bert
expect 3 "$KML" submit --name bad --gpus 1 --wait -- sh -c 'sleep 1.1; exit 4'
expect 0 "$KML" submit --name long --gpus 1 -- sleep 1000
runs() { [ "$("$KML" status long -o 'jsonpath={.status.ready}')" = 1 ]; }
eventually runs
sleep 1.1 # so that it has run for a second

usage() { expect 0 "$KML" usage "$@" -o json; }
check() { python3 -c "import json, sys
usage = json.load(sys.stdin)
rows, total = usage['rows'], usage['total']
$1" <<<"$out" || fail "$1: $out"; }
usage --by project,user
check '
by = {row["project"]: row for row in rows}
bert, other = by["vision"], by[""]
assert len(rows) == 2 and bert["jobs"] == 1 and other["jobs"] == 3, rows
# Half of the ten steps ran twice, so half of the time of the first attempt is lost.
assert bert["lostGpuHours"] >= 2 * 1 / 3600 and bert["unclearGpuHours"] == 0, bert
assert bert["wellGpuHours"] >= bert["lostGpuHours"], bert
assert other["failedGpuHours"] >= 1 / 3600 and other["openGpuHours"] > 0, other
assert bert["covered"] == other["covered"] == 1, rows
assert abs(total["gpuHours"] - sum(row["gpuHours"] for row in rows)) < 1e-9, total'
lost=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["total"]["lostGpuHours"])' <<<"$out")
hours=$(python3 -c 'import json, sys; print(*[row["gpuHours"] for row in json.load(sys.stdin)["rows"] if row["project"] == "vision"])' <<<"$out")
expect 0 "$KML" eff bert
[[ $out =~ GPU\ hours\ +[0-9.e-]+:\ [0-9.e-]+\ ended\ well,\ [0-9.e-]+\ lost\ to\ 1\ preemption ]] || fail "$out"
contains "$out" "(known for 100 % of the time)"

# Cancelled and deleted jobs keep their hours.
expect 0 "$KML" cancel long
expect 3 "$KML" wait long
expect 0 "$KML" delete bert long bad
usage
check "assert total['jobs'] == 4 and total['covered'] == 1 and total['openGpuHours'] == 0, total
assert total['stoppedGpuHours'] >= 1 / 3600 and total['failedGpuHours'] >= 1 / 3600, total
assert abs(total['lostGpuHours'] - $lost) < 1e-6, total"
expect 0 "$KML" runs --where 'name == "bert"' -o json
python3 -c "import json, sys
told = float(json.load(sys.stdin)[0]['facts']['GPU hours'])
assert abs(told / $hours - 1) < 0.01, told" <<<"$out" || fail "not $hours: $out"

# A pipeline has the GPU hours of its steps, including all their attempts.
cat >pipeline.yaml <<'END'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: twice}
spec:
  steps:
    one: {gpus: 2, retries: 1, command: [sh, -c, '[ -e $HOME/again ] || { touch $HOME/again; sleep 1.1; exit 1; }']}
    two: {gpus: 1, command: [sleep, 1.1]}
END
expect 0 "$KML" run pipeline.yaml --name twice
expect 0 "$KML" runs --where 'name == "twice"' -o json
python3 -c "import json, sys
facts = json.load(sys.stdin)[0]['facts']
assert facts['attempts'] == '3' and float(facts['GPU hours']) >= 3 / 3600 * 0.995, facts" <<<"$out" || fail "$out"
expect 0 "$KML" run delete twice

# If kml saw nothing else of a job, only its submit is recorded.
rm "$XDG_STATE_HOME/kml/gpu_time.jsonl"
usage
check 'assert total["jobs"] == 4 and 0 < total["covered"] < 1, total'
contains "$err" "the GPU time of 3 jobs is missing here"
expect 0 "$KML" usage --by gpu,day -o csv
[ "$(head -n 1 <<<"$out")" = gpu,day,jobs,gpuHours,wellGpuHours,lostGpuHours,unclearGpuHours,failedGpuHours,stoppedGpuHours,openGpuHours,covered ] || fail "$out"
contains "$out" "any,$(date +%Y-)"
expect 0 "$KML" delete rival
rm "$XDG_STATE_HOME/kml/gpu_time.jsonl"
expect 0 "$KML" usage
[[ $out =~ root\ +4\ +-\ +-\ +-\ +-\ +-\ +-\ +0\ % || $out =~ $(id -un)\ +4\ +-\ +-\ +-\ +-\ +-\ +-\ +0\ % ]] || fail "$out"
expect 2 "$KML" usage --by uesr
contains "$err" 'did you mean "user"?'
