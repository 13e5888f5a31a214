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

# A second run gets its own folder, and so does a rerun.
expect 0 "$KML" rerun one --name two --wait
[ "$(ls "$XDG_STATE_HOME/kml/tracking" | wc -l)" = 2 ] || fail "$(ls "$XDG_STATE_HOME/kml/tracking")"
expect 0 "$KML" runs --where 'name == "two"' -o 'jsonpath={[0].parameters.lr}'
[ "$out" = 0.25 ] || fail "$out"

# kml does not read a folder that it did not choose.
mkdir -p foreign/0/x/params && echo 9 >foreign/0/x/params/lr && touch foreign/0/x/meta.yaml
expect 0 "$KML" submit --name three --env "MLFLOW_TRACKING_URI=file://$PWD/foreign" --wait -- true
expect 0 "$KML" runs --where 'name == "three"' -o 'jsonpath={[0].parameters.lr}'
[ -z "$out" ] || fail "$out"

"$KML" local kubeconfig | sed 's/\blocal\b/prod/g' >kubeconfig
expect 2 env KUBECONFIG="$work/kubeconfig" "$KML" submit --context prod --track mlflow --image none -- true
contains "$err" "only for jobs on this machine"
expect 2 "$KML" submit --track wandb -- true
