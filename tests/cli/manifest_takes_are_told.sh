# What a manifest or a sweep's file takes of its user is said before anything is sent; what it holds itself is not.
. "$(dirname "$0")/lib.sh"
mkdir data
cat >pod.yaml <<Y
template:
  spec:
    restartPolicy: Never
    serviceAccountName: ci
    containers:
    - {name: main, command: [sh, -c, "true {lr}"], envFrom: [{secretRef: {name: theirs}}, {secretRef: {name: own}}]}
    volumes: [{name: data, hostPath: {path: $work/data}}]
Y
{
  printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: own}\n---\n'
  printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: takes}\nspec:\n'
  sed 's/^/  /' pod.yaml
} >job.yaml
expect 0 "$KML" submit -f job.yaml --dry-run
contains "$err" "job.yaml takes the secret theirs, the service account ci, the machine's $work/data"
[[ "$err" != *"secret own"* ]] || fail "its own secret is told: $err"
{
  printf 'apiVersion: kml.dev/v1\nkind: Sweep\nmetadata: {name: takes}\nspec:\n'
  printf '  objective: {type: minimize, objectiveMetricName: loss}\n'
  printf '  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: 0, max: 1}}]\n'
  printf '  trialTemplate:\n    trialSpec:\n      apiVersion: batch/v1\n      kind: Job\n      spec:\n'
  sed 's/^/        /' pod.yaml
} >sweep.yaml
expect 0 "$KML" sweep run -f sweep.yaml --dry-run
contains "$err" "the trial takes the secret theirs, the secret own, the service account ci, the machine's $work/data"
