# kml does not invent a name for a manifest: it asks on a terminal, and otherwise reports the line.
. "$(dirname "$0")/lib.sh"
cat >job.yaml <<'END'
apiVersion: batch/v1
kind: Job
metadata:
  labels: {team: vision}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, command: ["true"]}]}
END
cat >bare.yaml <<'END'
# The second manifest has no name, and no metadata at all.
apiVersion: v1
kind: ConfigMap
metadata: {name: fine}
---
apiVersion: v1
kind: ConfigMap
data: {a: b}
END
expect 2 "$KML" submit -f job.yaml
contains "$err" "a manifest has no name: kind Job"
contains "$err" 'job.yaml:3:1 metadata: add "name: NAME" to it, or "generateName: NAME-"'
contains "$err" "--name NAME"
expect 2 "$KML" submit -f - <job.yaml
contains "$err" "standard input:3:1"
expect 2 "$KML" submit -f job.yaml --idempotency-key k1
expect 2 "$KML" submit -f bare.yaml
contains "$err" 'bare.yaml:6:1 metadata: is missing: add "metadata: {name: NAME}"'
expect 0 "$KML" list -o name
[ -z "$out" ] || fail "made in spite of it: $out"
expect 0 "$KML" list configmaps -o name
[[ "$out" != *fine* ]] || fail "a part was made: $out"

# The name is given by --name, or is generated if the manifest has generateName.
expect 0 "$KML" submit -f job.yaml --name given --wait
sed 's/labels:.*/generateName: drawn-/' job.yaml >drawn.yaml
expect 0 "$KML" submit -f drawn.yaml
contains "$out" "job drawn-"

# On a terminal, kml asks until the name is valid.
cat >ask.py <<'P'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "submit", "-f", "job.yaml"])
asked = "name of the Job in job.yaml:3:"
terminal.until(lambda lines: any(line.startswith(asked) for line in lines))
os.write(terminal.fd, b"Not A Name\n")
terminal.until(lambda lines: sum(line.startswith(asked) for line in lines) == 2)
os.write(terminal.fd, b"typed\n")
terminal.until(lambda lines: any("job typed submitted" in line for line in lines))
assert terminal.finish() == 0
P
export KML SOURCE
python3 ask.py
expect 0 "$KML" wait typed
