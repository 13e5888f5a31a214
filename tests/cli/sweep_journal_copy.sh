# Tests the copy of a large journal that an engine in a cluster stores for other processes: it is complete, in parts of
# limited size. A missing part is reported and written again. This machine's server takes the place of the cluster.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up
"$KML" local kubeconfig >kubeconfig
export KUBECONFIG=$work/kubeconfig
python3 - <<'P'
import json, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
import made_sweep
made_sweep.write("journal/sweeps/s1", 4_000, parallel=64)
labels = {"kml.dev/sweep": "s1", "kml.dev/sweep-engine": "s1", "kml.dev/submit-id": "made"}
json.dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kml-sweep-s1", "labels": labels},
           "data": {"sweep.json": json.dumps(made_sweep.document("s1", 4_000, 64))}}, open("sweep.json", "w"))
P
expect 0 kubectl create -f sweep.json --validate=false
expect 1 "$KML" sweep status s1
contains "$err" "sweep s1 has not started"
engine() { KML_STATE_DIR=$work/journal "$KML" sweep engine s1; }
expect 0 engine
parts() { kubectl get configmaps -l kml.dev/journal-part -o name | wc -l; }
[ "$(parts)" -gt 10 ] || fail "$(parts) parts of $(wc -c <journal/sweeps/s1/journal.jsonl) bytes"
"$KML" sweep export s1 -o jsonl >copy
KML_STATE_DIR=$work/journal "$KML" sweep export s1 -o jsonl >original
[ "$(wc -l <copy)" = 4000 ] && cmp copy original || fail "the copy is another one"

kubectl delete configmap kml-sweep-s1-7 >/dev/null
expect 1 "$KML" sweep status s1
contains "$err" "ConfigMap kml-sweep-s1-7 does not exist"
expect 0 engine
"$KML" sweep export s1 -o jsonl >copy
cmp copy original || fail "the copy is another one"

# The engine rejects another sweep's journal on the same volume.
sed -i '1s/"made"/"another"/' journal/sweeps/s1/journal.jsonl
expect 2 engine
contains "$err" "the journal of another sweep s1"
