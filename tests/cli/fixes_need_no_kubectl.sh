# Fixes do not need kubectl, which the user may not have: kml itself lists or creates the objects.
. "$(dirname "$0")/lib.sh"
manifest() { # NAME POD-FIELDS CONTAINER-FIELDS
  cat <<END
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  template:
    spec: {restartPolicy: Never, $2 containers: [{name: main, image: here, command: ["true"], $3}]}
END
}
# The printed command creates the missing object, and the job starts by itself.
first_command() { "$KML" why "$1" -o 'jsonpath={.cause.remedies[0].command}'; }
succeeded() { "$KML" list --state succeeded -o name | grep -qx "job.batch/$1"; }
told() { first_command "$1" | grep -q "$2"; }
manifest wants-secret "" "envFrom: [{secretRef: {name: token}}]" | "$KML" submit --no-check -f - >/dev/null
manifest wants-settings "" "envFrom: [{configMapRef: {name: settings}}]" | "$KML" submit --no-check -f - >/dev/null
manifest wants-claim "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]," \
  "volumeMounts: [{name: v, mountPath: /data}]" | "$KML" submit --no-check -f - >/dev/null
kml() { "$KML" "$@"; }
for job in wants-secret wants-settings wants-claim; do
  eventually told $job "kml submit"
  eval "$(first_command $job)" >/dev/null
  eventually succeeded $job
done
expect 0 "$KML" list secrets -o name
contains "$out" secret/token

# The printed command also creates a missing namespace.
expect 1 "$KML" submit -n lab --no-check -- true
command=$(sed -n 's/.*`\(echo .*\)` creates it.*/\1/p' <<<"$err")
contains "$command" Namespace
eval "$command" >/dev/null
expect 0 "$KML" submit -n lab --wait -- true

# If the cluster has no priority class but Kubernetes' own, kml says so.
expect 1 "$KML" submit --priority urgent -- true
contains "$err" "the cluster has no priorityclasses"

# If no node has a label, kml prints a similar label, and a command with that label.
"$KML" local down --force >/dev/null 2>&1
"$KML" local up --node-label disk=hdd >/dev/null
expect 1 "$KML" submit --node-selector diks=hdd -- true
contains "$err" "no node has diks=hdd; nodes have disk=hdd"
contains "$err" "kml submit --node-selector disk=hdd"
expect 0 "$KML" list nodes -o wide
contains "$out" "disk=hdd"

# Changes that need an administrator are described in words, so no text suggests kubectl.
! grep -rnE '"[^"]*kubectl (-n [^ ]+ )?(get|describe|create|events|patch|label|taint|uncordon|delete)\b' "$SOURCE/src" \
  --include=*.cc | grep -v cli/local.cc || fail "a text asks for kubectl"
