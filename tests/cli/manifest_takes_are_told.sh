# Before anything is sent, kml prints which of the user's objects and files a manifest uses, but not the objects that
# the manifest itself contains. A sweep's file that uses such objects needs the user's trust.
. "$(dirname "$0")/lib.sh"
mkdir data
cat >pod.yaml <<Y
template:
  spec:
    restartPolicy: Never
    serviceAccountName: ci
    containers:
    - {name: main, command: [sh, -c, "true {lr}"], envFrom: [{secretRef: {name: theirs}}, {secretRef: {name: own}}],
       env: [{name: KEY, valueFrom: {secretKeyRef: {name: perhaps, key: k, optional: true}}}]}
    volumes: [{name: data, hostPath: {path: $work/data}}]
Y
{
  printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: own}\n---\n'
  printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: takes}\nspec:\n'
  sed 's/^/  /' pod.yaml
} >job.yaml
expect 0 "$KML" submit -f job.yaml --dry-run
contains "$err" "job.yaml uses the secret perhaps, the secret theirs, the service account ci, the machine's $work/data"
[[ "$err" != *"secret own"* ]] || fail "its own secret is told: $err"
expect 0 "$KML" submit -f job.yaml --env-from of-flag --dry-run
contains "$out" "of-flag"
[[ "$err" != *of-flag* ]] || fail "the secret of a flag is told as one of the manifest: $err"
{
  printf 'apiVersion: kml.dev/v1\nkind: Sweep\nmetadata: {name: takes}\nspec:\n'
  printf '  objective: {type: minimize, objectiveMetricName: loss}\n'
  printf '  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: 0, max: 1}}]\n'
  printf '  trialTemplate:\n    trialSpec:\n      apiVersion: batch/v1\n      kind: Job\n      spec:\n'
  sed 's/^/        /' pod.yaml
} >sweep.yaml
takes="the secret perhaps, the secret theirs, the secret own, the service account ci, the machine's $work/data"
refused() {
  expect 2 "$KML" sweep run -f sweep.yaml --dry-run
  contains "$err" "kml: error: sweep.yaml $1"
  contains "$err" "its trials use $takes"
  contains "$err" "fix: review it, then run kml trust sweep.yaml"
}
refused "is not trusted"
expect 2 "$KML" sweep run -f sweep.yaml
# A file read from a pipe cannot be trusted.
expect 2 "$KML" sweep run -f - --dry-run <sweep.yaml
contains "$err" "standard input is not trusted"
expect 0 "$KML" trust sweep.yaml
expect 0 "$KML" sweep run -f sweep.yaml --dry-run
contains "$err" "the trial uses $takes"
expect 0 "$KML" trust --list
contains "$out" "sweep.yaml  trusted"
echo "# changed" >>sweep.yaml
refused "has changed since you trusted it"
# Objects that only the user's own flags mention need no trust in the file.
sed 's/, envFrom:.*/}/; /serviceAccountName/d; /secretKeyRef/d; /volumes/d' sweep.yaml >plain.yaml
expect 0 env DB=x "$KML" sweep run -f plain.yaml --secret DB --service-account ci --dry-run
