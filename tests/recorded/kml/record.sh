#!/usr/bin/env bash
# Makes the files beside this script with the program KML: record.sh KML. The existing ones are from commit
# 5cde61d.
set -euo pipefail
kml=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
home=/tmp/ana  # it is kept in annotations, as the environment is
if [ "${CLEAN:-}" = "" ]; then
  exec env -i CLEAN=1 PATH=/usr/bin:/bin HOME=$home USER=ana XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config bash "$0" "$kml"
fi
mkdir "$home"
cd "$home"
finish() {
  timeout 60 "$kml" local down --force >/dev/null 2>&1 || true
  rm -rf "$home"
}
trap finish EXIT

timeout 60 "$kml" local up --fake-gpus 4
sweep() {
  timeout 300 "$kml" sweep run "$@" >sweep.out 2>&1 || tail -5 sweep.out
}
loss='for epoch in 1 2 3 4 5 6 7 8 9; do echo "epoch=$epoch loss=$(awk "BEGIN { print ({lr} - 0.3)^2 + 1 / $epoch }")"; done'
sweep stop --param lr=0.01..1 --minimize loss --resource epoch:1..9 --early-stopping asha --trials 12 --parallel 3 -- sh -c "$loss"
cat >promote.yaml <<END
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: promote}
spec:
  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "1"}}]
  objective: {type: minimize, objectiveMetricName: loss}
  algorithm: {algorithmName: random}
  fidelity: {metric: epoch, min: 1, max: 9, eta: 3}
  earlyStopping: {algorithmName: asha, mode: promote}
  checkpointDir: $home/checkpoints
  retry: {failures: 1}
  maxTrialCount: 9
  parallelTrialCount: 3
END
sweep -f promote.yaml -- sh -c 'if [ {trial} = 2 ] && [ ! -e seen ]; then touch seen; exit 5; fi
  for epoch in $(seq 1 {until}); do echo "epoch=$epoch loss=$(awk "BEGIN { print ({lr} - 0.3)^2 + 1 / $epoch }")"; done'
sweep faults --param x=1..6 --algorithm grid --maximize score --trials 6 \
  -- sh -c 'case {x} in 1) exit 3;; 2) echo nothing;; 3) echo score=nan;; *) echo "step=1 score={x}";; esac'
sweep indexed --param x=1..6 --algorithm grid --fan-out indexed --maximize score --trials 6 -- sh -c 'echo "step=1 score={x}"'
timeout 3 "$kml" sweep run again --param x=1..8 --algorithm grid --maximize score --trials 8 --parallel 2 \
  -- sh -c 'sleep 2; echo "step=1 score={x}"' >/dev/null 2>&1 || true
timeout 60 "$kml" sweep stop again >/dev/null 2>&1 || true
timeout 300 "$kml" sweep resume again --trials 6 >/dev/null 2>&1 || true

# The following jobs get a new store and new records.
timeout 60 "$kml" local down --force >/dev/null 2>&1
mv state sweeps
timeout 60 "$kml" local up --fake-gpus 4 >/dev/null
timeout 60 "$kml" submit --name good --wait -- sh -c 'echo one; echo two' >/dev/null 2>&1
timeout 60 "$kml" submit --name bad --wait -- sh -c 'echo lost; exit 4' >/dev/null 2>&1 || true
timeout 60 "$kml" submit --name waits -- true >/dev/null 2>&1
timeout 60 "$kml" logs good --keep >/dev/null 2>&1 || true
timeout 60 "$kml" submit --name gone -- true >/dev/null 2>&1
timeout 60 "$kml" delete gone >/dev/null 2>&1
sleep 1
timeout 60 "$kml" local down --force >/dev/null 2>&1

rm -rf "$here/journals" "$here/state"
mkdir -p "$here/journals"
for sweep in "$home"/sweeps/kml/sweeps/*/; do
  cp "$sweep/journal.jsonl" "$here/journals/$(basename "$sweep").jsonl"
done
cp -r "$home/state/kml" "$here/state"
(cd "$here/state/local" && rm -rf identity.json kubeconfig server.log ./*.lock socket*)
find "$here/state" -type f -size +0 | sort
