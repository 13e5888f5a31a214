# kml submit --track mlflow: kml runs reads what a program logs with MLflow, without a server. The program writes the
# files of MLflow's file store itself; tests/peers/mlflow/run uses MLflow.
. "$(dirname "$0")/lib.sh"
cat >train.sh <<'T'
[ "$MLFLOW_ALLOW_FILE_STORE" = true ] || exit 1
run=${MLFLOW_TRACKING_URI#file://}/0/$1
mkdir -p "$run/params" "$run/metrics/val" "$run/tags"
printf '%s' "$2" >"$run/params/lr"
printf '%s' 'adam w' >"$run/params/opt"
printf '1795630185264 1.0 0\n1795630185265 %s 10\n' "$2" >"$run/metrics/val/loss"
printf '1795630185264 nan 3\nno point\n' >"$run/metrics/odd"
printf '%s' v1 >"$run/tags/data"
printf '%s' python >"$run/tags/mlflow.source.name"
ln -s /etc/passwd "$run/params/passwd"
touch "$run/meta.yaml"
echo "step=5 loss=3"
T
expect 0 "$KML" submit --name one --track mlflow --wait -- sh train.sh first 0.25 --lr=7
expect 0 "$KML" runs -o 'jsonpath={[0].parameters} {[0].tags} {[0].metrics.val/loss.last} {[0].metrics.loss.last}'
[[ $out == *'"lr":0.25'* && $out == *'"opt":"adam w"'* && $out == *'{"data":"v1"} 0.25 3' ]] || fail "$out"
[[ $out != *passwd* ]] || fail "a symbolic link was followed: $out"
expect 0 "$KML" runs tag one data=v2
expect 0 "$KML" runs --where 'tags.data == "v2" && lr == 0.25'
contains "$out" one
"$KML" runs report one -o - | grep -q '"val/loss":{"count":2,"points":\[\[0,1.0\],\[10,0.25\]\]}' || fail "the report has no course"

# A rerun gets its own folder.
expect 0 "$KML" rerun one --name two --wait
[ "$(ls "$XDG_STATE_HOME/kml/tracking" | wc -l)" = 2 ] || fail "$(ls "$XDG_STATE_HOME/kml/tracking")"
expect 0 "$KML" runs --where 'name == "two"' -o 'jsonpath={[0].parameters.lr}'
[ "$out" = 0.25 ] || fail "$out"

# The name of a metric may start with the name of another one, as val/acc starts with val, whichever is logged
# first. Names may also look like the names that kml makes. The stub stands for MLflow's file store, and loads
# kml's module as MLflow's client does.
mkdir -p stub/mlflow/store/tracking
cat >stub/mlflow/store/tracking/file_store.py <<'P'
import os
class FileStore:
    def __init__(self, uri, artifacts):
        self.run = os.path.join(uri[len("file://"):], "0", "run")
    def _get_metric_path(self, experiment_id, run_uuid, metric_key):
        return os.path.join(self.run, "metrics", metric_key)
    def _get_param_path(self, experiment_id, run_uuid, param_name):
        return os.path.join(self.run, "params", param_name)
P
cat >clash.py <<'P'
import importlib.metadata, os
points = importlib.metadata.entry_points()
points = points.select(group="mlflow.tracking_store") if hasattr(points, "select") else points["mlflow.tracking_store"]
store = next(point for point in points if point.name == "file").load()(os.environ["MLFLOW_TRACKING_URI"], artifact_uri=None)
def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as file:
        file.write(text)
for step in 0, 1:
    for number, key in enumerate(["val/acc", "val_", "val", "loss", "loss/train", "a/b/c", "a/b", "a"]):
        write(store._get_metric_path("0", "run", metric_key=key), "1795630185264 %d %d\n" % (10 * step + number, step))
write(store._get_param_path("0", "run", "opt"), "adam")
write(store._get_param_path("0", "run", "opt/lr"), "0.5")
write(os.path.join(store.run, "meta.yaml"), "")
P
names='jsonpath={[0].metrics.val/acc.last} {[0].metrics.val_.last} {[0].metrics.val.last} {[0].metrics.loss.last} {[0].metrics.loss/train.last} {[0].metrics.a/b/c.last} {[0].metrics.a/b.last} {[0].metrics.a.last} {[0].parameters.opt} {[0].parameters.opt/lr}'
logged() { # NAME
  expect 0 "$KML" runs --where "name == \"$1\"" -o "$names"
  [ "$out" = "10 11 12 13 14 15 16 17 adam 0.5" ] || fail "$1: $out"
  expect 0 "$KML" runs --where "name == \"$1\"" -o 'jsonpath={[0].parameters}'
  [[ $out != *PYTHONPATH* ]] || fail "kml's variable is a parameter: $out"
}
expect 0 "$KML" submit --name clash --track mlflow --env PYTHONPATH="$work/stub" --wait -- python3 clash.py
logged clash
expect 0 "$KML" rerun clash --name again --wait
logged again
expect 0 env PYTHONPATH="$work/stub" "$KML" submit --name here --track mlflow --wait -- python3 clash.py
logged here

# kml does not read a folder that it did not choose.
mkdir -p foreign/0/x/params && echo 9 >foreign/0/x/params/lr && touch foreign/0/x/meta.yaml
expect 0 "$KML" submit --name three --env "MLFLOW_TRACKING_URI=file://$PWD/foreign" --wait -- true
expect 0 "$KML" runs --where 'name == "three"' -o 'jsonpath={[0].parameters.lr}'
[ -z "$out" ] || fail "$out"

"$KML" local kubeconfig | sed 's/\blocal\b/prod/g' >kubeconfig
expect 2 "$KML" submit --track mlflow --env MLFLOW_TRACKING_URI=https://tracking.example -- true
contains "$err" "--track and --env both set MLFLOW_TRACKING_URI"
expect 2 env KUBECONFIG="$work/kubeconfig" "$KML" submit --context prod --track mlflow --image none -- true
contains "$err" "only for jobs on this machine"
expect 2 "$KML" submit --track wandb -- true
