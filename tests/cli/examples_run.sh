# Runs every example of the help texts and man pages as printed. The exceptions are in as_run() and in the loop
# at the end.
. "$(dirname "$0")/lib.sh"
mkdir -p bin bert zsh home/.ssh home/.config/fish/completions
ln -s "$KML" bin/kml
# The training programs of the examples: they exit at once, or run until they are stopped.
cat >bin/python <<'SH'
#!/bin/sh
[ "$1" != serve.py ] || exec python3 serve.py
echo "step=1 loss=0.5 accuracy=0.9"
SH
cp bin/python bin/torchrun
cp bin/python train.sh
cp bin/python bin/nvidia-smi
cp bin/python bin/gdb
printf '#!/bin/sh\necho http://127.0.0.1:8888/lab?token=t\nexec sleep 10000\n' >bin/jupyter
mkdir -p home/.local/bin
cp bin/python home/.local/bin/py-spy
chmod +x bin/* train.sh home/.local/bin/py-spy
# Runs a command that would not end by itself, and stops it with a signal once it has printed an address.
cat >bin/until_address <<'SH'
#!/bin/bash
rm -f printed
"$@" >printed &
until grep -qs 127.0.0.1 printed || ! kill -0 $!; do sleep 0.1; done
kill -TERM $!
got=0; wait $! || got=$?
[ $got = 130 ]
SH
chmod +x bin/until_address
echo one >words.txt
cat >serve.py <<'P'
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    do_POST = do_GET
http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
P
export PATH=$work/bin:$PATH
cat >job.yaml <<'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: manifest}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: none, command: ["true"]}]}}}
Y
cat >claim.yaml <<'Y'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: runs}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
Y
sweep_file() { # HEAD NAME
  cat <<Y
$1
metadata: {name: $2}
spec:
  objective: {type: maximize, objectiveMetricName: accuracy}
  maxTrialCount: 2
  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: "0.1", max: "0.9"}}]
  trialTemplate:
    trialParameters: [{name: lr, reference: lr}]
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: none,
        command: [python, train.py, "--lr=\${trialParameters.lr}"]}]}}}
Y
}
sweep_file $'apiVersion: kml.dev/v1\nkind: Sweep' own >sweep.yaml
sweep_file $'apiVersion: kubeflow.org/v1beta1\nkind: Experiment' katib >experiment.yaml
echo '{image: "none"}' >kml.yaml
cp kml.yaml bert/
printf '%s\n' 'apiVersion: kml.dev/v1' 'kind: Pipeline' 'metadata: {name: iris}' 'spec:' \
  '  params: {trees: {type: int, default: 100}}' '  defaults: {code: {paths: [train.sh]}}' '  steps:' \
  '    load: {command: [sh, -c, "echo data >$0", "${out.train}"], outputs: {train: dataset}}' \
  '    train: {inputs: {train: load.train}, outputs: {model: model},' \
  '            command: [cp, "${in.train}", "${out.model}"], env: {TREES: "${params.trees}"}}' \
  '    evaluate: {inputs: {model: train.model}, command: [python, "${in.model}"], outputs: {accuracy: {metric: accuracy}}}' \
  >pipeline.yaml
printf 'apiVersion: example.com/v1\nkind: Training\npodLabel: {key: example.com/training}\n' >training.yaml
# Writes a RayJob as `kubectl get -o yaml` prints it.
printf 'apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: tune}\nstatus: {jobDeploymentStatus: Initializing}\n' >tune.yaml
server() { kml local up --fake-gpus a100:32 >/dev/null 2>&1; }
server
# The other cluster is the same server under another name.
kml local kubeconfig | sed 's/\blocal\b/prod/g' >prod.kubeconfig
chmod 600 prod.kubeconfig

job() { # NAME COMMAND...
  kml submit --name "$1" --label team=vision --gpus 1 -- "${@:2}" >/dev/null 2>&1 || fail "cannot submit $1"
}
has_ended() { kml list -o jsonpath='{.items[*].status.conditions[*].type}' | grep -Eq 'Complete|Failed'; }
running() { [ "$(kml list --state running -o name | grep -c .)" -ge "$1" ]; }

# Creates the jobs that the example needs: bert, which is running, has ended or has failed, and the array arr.
jobs_for() {
  kml delete --all --yes >/dev/null 2>&1
  case $1 in
    *"logs bert --first-error"*) job bert sh -c 'echo broken; exit 7'; eventually has_ended ;;
    *"kml logs -l"*) job bert sh -c 'echo "loss=nan error"'; eventually has_ended ;;
    *"-f bert"* | *"kml wait"* | *"status -w"*) job bert sh -c 'echo "loss=0.5 step=1"; sleep 1' ;;
    *rerun*) job bert python train.py --lr 0.5; eventually has_ended ;;
    "kml attach"*) rm -f over; kml submit --name bert --nodes 4 -- sh -c 'until [ -e over ]; do echo line; sleep 0.2; done' >/dev/null 2>&1; eventually running 1 ;;
    "kml open"*)
      job bert sh -c 'echo at http://localhost:8888/; sleep 10000'
      has_said() { kml logs bert | grep -q localhost; }
      eventually has_said ;;
    "kml dev"*) ;;
    "kml cp pvc/"*)
      kml submit -f claim.yaml >/dev/null 2>&1 || true
      kml submit --name bert --mount pvc/runs:/runs --wait -- mkdir -p /runs/bert >/dev/null 2>&1 || fail "cannot fill the claim" ;;
    "kml exec"* | "kml shell"* | "kml port"* | "kml cp"* | "kml sync"* | "kml debug"* | "kml hang"* | "kml ssh"*)
      mkdir -p checkpoints src
      echo 1 >src/train.py
      kml submit --name bert --nodes 4 -- sleep 10000 >/dev/null 2>&1
      all_run() { [ "$(kml list -o jsonpath='{.items[0].status.ready}')" = 4 ]; }
      eventually all_run ;;
    *resume*) job bert sleep 10000; eventually running 1; kml suspend bert >/dev/null ;;
    *)
      job bert sleep 10000
      kml submit --name arr --array 0-4 -- sleep 10000 >/dev/null 2>&1
      eventually running 2 ;;
  esac
}

# Creates the sweep of the example, unless the example itself starts it. The sweep has four points, so that it ends
# with any budget.
sweep_for() {
  local sweep=lr1
  [[ $1 != *lr2* ]] || sweep=lr2
  case $1 in
    "kml sweep run"*) kml sweep delete $sweep >/dev/null 2>&1 || true; return ;;
    *"| kml submit"*) kml delete $sweep-best >/dev/null 2>&1 || true ;;
  esac
  kml sweep status $sweep >/dev/null 2>&1 ||
    kml sweep run $sweep --param x=1..4 --algorithm grid --maximize accuracy -- python train.py {args} >/dev/null 2>&1 ||
    fail "cannot run the sweep $sweep"
}

# Creates the run iris-1, unless the example itself starts it.
run_for() {
  rm -rf model.pickle
  case $1 in
    "kml submit"*) kml run delete --force report >/dev/null 2>&1 || true ;;
    *--name*) kml run delete --force iris-1 >/dev/null 2>&1 || true; return ;;
    "kml run "*.yaml*) return ;;
  esac
  kml run status iris-1 >/dev/null 2>&1 || kml run pipeline.yaml --no-cache --name iris-1 >/dev/null 2>&1 ||
    fail "cannot run the pipeline iris"
}

# Creates a bare repository, ~/bert.git, with a pipeline on its branch main.
git_for() {
  [ ! -e home/bert.git ] || return 0
  git init -q --bare home/bert.git
  git init -q to-push && cp pipeline.yaml to-push
  git -C to-push add . && git -C to-push -c user.name=ana -c user.email=ana@example.org commit -qm one
  git -C to-push push -q ../home/bert.git HEAD:main
}

# Creates the schedule nightly, unless the example itself creates it.
schedule_for() {
  kml schedule delete nightly >/dev/null 2>&1 || true
  case $1 in
    "kml submit"*) ;;
    *) kml submit --name nightly --cron '0 3 * * *' -- python train.py >/dev/null 2>&1 || fail "cannot create a schedule" ;;
  esac
}

# Serves iris in its second revision.
serve_for() {
  case $1 in *"serve list"* | "kml serve "*" -- "*) return ;; esac
  kml serve stop iris >/dev/null 2>&1 || true
  for revision in 1 2; do
    kml serve iris --env R=$revision -- python serve.py >/dev/null 2>&1 || fail "cannot serve iris"
  done
}

# Creates the runs bert, bert2 and bert3.
runs_to_compare() {
  [ ! -e compared ] || return 0
  for name in bert bert2 bert3; do
    kml submit --name "$name" --replace --wait -- sh -c 'echo accuracy=0.9' sh --lr 0.001 >/dev/null 2>&1
  done
  touch compared
}

# Prints the command to run in place of an example. For some examples, that command only makes a plan, because
# a sweep of a hundred trials takes minutes, and --in-cluster needs an image of kml and a claim. For `kml wait
# --for=delete`, the jobs are deleted first.
as_run() {
  case $1 in
    "kml sweep run"*) echo "kml sweep run --dry-run${1#kml sweep run}" ;;
    "kml run "*--in-cluster*) echo "kml run --dry-run${1#kml run}" ;;
    "kml schedule git "*--in-cluster*) echo "kml schedule git --print-hook${1#kml schedule git}" ;;
    "kml submit "*--in-cluster*) echo "kml submit --dry-run${1#kml submit}" ;;
    "kml dev "*--jupyter | "kml port "* | "kml open "*) echo "until_address $1" ;;
    *" -it "* | "kml shell bert" | "kml shell bert/3") echo "echo exit | script -qec '$1' /dev/null" ;; # needs a terminal
    "kml ui -o json"*) echo "$1 | grep -m 1 synced" ;;
    "kml ui --web --actions") echo "until_address $1" ;;
    "kml ui --web"*) echo "$1" ;;
    "kml ui"*) echo "echo q | script -qec '$1' /dev/null" ;;
    "kml attach "*) echo "$1 >said & until grep line said; do sleep 0.05; done; touch over; wait \$!" ;;
    "kml serve "*" -t kserve "*) echo "${1/ -t kserve/ -t kserve --dry-run}" ;; # the embedded server has no KServe
    "kml ssh "*) echo "$1 2>said || grep 'has no sshd' said" ;; # so do most machines
    "kml dev "*) echo "echo exit | $1" ;;
    "kml sync --once"*) echo "$1" ;;
    "kml sync"*) echo "{ $1 2>said & until grep 'file sent' said; do sleep 0.05; done; kill -INT \$!; }" ;;
    "kml runs push"*) echo "$1" | sed "s|--mlflow [^ ]*|--mlflow http://127.0.0.1:$(cat mlflow.port)|" ;;
    *"kml image "*) sed "s|python:3.12-slim|localhost:$(cat registry/port)/base/python:3|; s|registry.example|localhost:$(cat registry/port)|" <<<"$1" ;;
    "kml debug "*) echo "! $1 2>said && grep 'needs a cluster' said" ;;
    *"--for=delete"*) echo "kml delete -l team=vision --yes && $1" ;;
    *) echo "$1" ;;
  esac
}

python3 "$SOURCE/tests/support/fake_mlflow.py" mlflow.port &
mlflow=$!
mkdir registry
python3 "$SOURCE/tests/support/fake_registry.py" registry &
registry=$!
trap 'status=$?; kill $mlflow $registry || true; finish $status' EXIT
eventually test -s mlflow.port
eventually test -s registry/port

count=0 faults=
"$KML" completion examples >examples
while IFS=$'\t' read -r path line; do
  case $line in
    "kml local up"*) kml local down --force >/dev/null 2>&1 || true ;;
    *"kml local"*) ;;
    *) server || { kml local down --force >/dev/null 2>&1; server; } ;;
  esac
  case $path in
    "kml sweep"*) sweep_for "$line" ;;
    "kml schedule git") git_for ;;
    "kml schedule"*) schedule_for "$line" ;;
    "kml runs"*) runs_to_compare; [[ $line != *iris-1* ]] || run_for "$line" ;;
    "kml serve"*) serve_for "$line" ;;
    "kml run"* | "kml artifact"*) run_for "$line" ;;
    "kml submit") [[ $line != *iris-1* ]] || run_for "$line" ;;
    "kml gc" | "kml env gc" | "kml env list" | "kml env verify") # the claims that the examples name
      for claim in datasets environments; do sed "s/runs/$claim/" claim.yaml | kml submit -f - >/dev/null 2>&1 || true; done ;;
    "kml apply") kml submit --gpus 1 --time-limit 4h --plan plan.json -- python train.py >/dev/null 2>&1 || fail "cannot plan" ;;
    "kml exec" | "kml shell" | "kml attach" | "kml port" | "kml cp" | "kml sync" | "kml debug" | "kml open" | "kml dev" | "kml ssh" | "kml hang" | "kml logs" | "kml queue" | "kml why" | "kml eff" | "kml usage" | "kml timeline" | "kml top"* | "kml list" | "kml status" | "kml wait" | "kml cancel" | \
      "kml delete" | "kml suspend" | "kml resume" | "kml history" | "kml rerun" | kml) jobs_for "$line" ;;
  esac
  for program in kubectl jq; do
    [[ $line != *"$program "* ]] || command -v $program >/dev/null || { echo "LEFT OUT, no $program: $line"; continue 2; }
  done
  # Packages come from an index, so cli/image_append_packages.sh tests this command instead.
  [[ $line != "kml image append "*" --uv"* ]] || { echo "LEFT OUT, it needs uv and an index: $line"; continue; }
  want=0 kubeconfig=
  case $line in
    *" prod"* | *--in-cluster*) kubeconfig=prod.kubeconfig ;;
    "kml top queues"*) want=1 ;; # the embedded server has no Kueue
    "kml rerun arr"*) # task 5 has failed
      kml submit --name arr --replace --array 0-9 --wait -- sh -c '[ $KML_TASK != 5 ]' >/dev/null 2>&1 || true ;;
    *"trust --revoke"*) (cd bert && kml trust >/dev/null) ;;
  esac
  echo "run: $line" >&2
  folder=.
  [[ $line != *"../bert"* ]] || folder=zsh
  [[ $line != *"config init"* ]] || folder=$(mktemp -d -p "$work")
  got=0
  env KUBECONFIG=$kubeconfig timeout 1000 bash -c "cd $folder && fpath=(- $work/zsh)
$(as_run "$line")" >out 2>&1 </dev/null || got=$?
  [ "$got" = "$want" ] || faults+="exit $got, not $want: $line"$'\n'"$(head -c 2000 out)"$'\n'
  count=$((count + 1))
done <examples
[ "$count" -gt 100 ] || fail "only $count examples"
[ -z "$faults" ] || fail "$faults"
