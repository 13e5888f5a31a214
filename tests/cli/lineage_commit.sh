# The lineage of an artifact names the commit of the code that made it, and whether the code had uncommitted changes.
. "$(dirname "$0")/lib.sh"
git() { command git -c user.name=ana -c user.email=ana@example.com "$@"; }
git init -q -b main code
cd code
cat >p.yaml <<'E'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    load: {command: [sh, load.sh, '${out.data}'], outputs: {data: dataset}}
    train: {inputs: {data: load.data}, command: [sh, -c, 'cat ${in.data} >${out.model}'], outputs: {model: model}}
E
echo 'echo one >$1' >load.sh
git add . && git commit -qm one
one=$(git rev-parse HEAD)
expect 0 "$KML" run p.yaml --name first
expect 0 "$KML" artifact lineage first/train.model
contains "$out" "commit ${one:0:12} of main"
[[ $out != *uncommitted* ]] || fail "$out"
echo 'echo two >$1' >load.sh
expect 0 "$KML" run p.yaml --name second
expect 0 "$KML" artifact lineage second/train.model
contains "$out" "commit ${one:0:12} of main, with uncommitted changes"
expect 0 "$KML" artifact lineage second/load.data --down -o json
python3 - "$out" "$one" <<'E'
import json, sys
use = json.loads(sys.argv[1])["uses"][0]
assert use["git"] == {"commit": sys.argv[2], "branch": "main", "dirty": True}, use
E
# A cached result has the commit that made it, even after that run was deleted.
git commit -qam two
expect 0 "$KML" run p.yaml --name third
expect 0 "$KML" run delete second
expect 0 "$KML" artifact lineage third/load.data -o json
python3 - "$out" "$one" <<'E'
import json, sys
made = json.loads(sys.argv[1])["made"]
assert made["run"] == "second" and made["git"] == {"commit": sys.argv[2], "branch": "main", "dirty": True}, made
E
