. "$(dirname "$0")/lib.sh"
# kml serve --input on a cluster: an artifact on a run's volume is mounted; other files are rejected.
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    train: {command: [sh, -c, "echo weights >${out.model}"], outputs: {model: model}}
Y
kubeconfig_of_cluster
expect 0 timeout 1000 "$KML" run p.yaml --name r
serve() { timeout 1000 "$KML" --kubeconfig kubeconfig --context there serve web --image i --dry-run "$@" -- cat '${in.model}'; }
expect 2 serve --input model=r/train.model
contains "$err" " cp $XDG_STATE_HOME/kml/artifacts/data/r/train/0/model pvc/NAME/model;"
contains "$err" "--mount pvc/NAME/model:/kml/in/model:ro"
expect 2 serve --input model=./p.yaml
contains "$err" " cp ./p.yaml pvc/NAME/model;"
echo two >put
expect 0 "$KML" artifact put words=put
expect 2 serve --input model=words
contains "$err" "pvc/NAME/model;"

# Finds the record of a run on a cluster.
journal=$(grep -rlF '"path":"' "$XDG_STATE_HOME"/kml/runs/r/ | head -1)
sed -i 's|"path":"[^"]*"|"path":"pvc/data/v1/data/r/train/0/model","onClaim":"v1/data/r/train/0/model","target":"there/lab"|' "$journal"
expect 2 "$KML" artifact get r/train.model copy
contains "$err" "the files are on a volume of there/lab"
contains "$err" "kml cp pvc/data/v1/data/r/train/0/model model"
expect 0 "$KML" artifact list r
[[ $out != *removed* ]] || fail "$out"
expect 2 serve --input model=r/train.model
contains "$err" "r/train.model is on a volume of there/lab"
expect 0 serve --input model=r/train.model -n lab
contains "$out" "mountPath: /kml/in/model"
contains "$out" "subPath: v1/data/r/train/0/model"
contains "$out" "claimName: data"
contains "$out" "- /kml/in/model"
