. "$(dirname "$0")/lib.sh"
# manifest NAMESPACE COMMAND: prints the namespace, and a job in it. All these jobs have the same name.
manifest() {
  cat <<Y
---
apiVersion: v1
kind: Namespace
metadata: {name: $1}
---
apiVersion: batch/v1
kind: Job
metadata: {name: same, namespace: $1}
spec:
  backoffLimit: 0
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: none, command: ["$2"]}]}
Y
}
expect 3 "$KML" submit --wait -f <(manifest one false; manifest two true)
contains "$err" "job same failed"
contains "$err" "job same succeeded"
