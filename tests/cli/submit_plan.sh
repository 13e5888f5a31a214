# A plan shows what a submit would do, and is applied only once, even after kills, by several processes at
# once, and after its job was deleted.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 8 >/dev/null 2>&1
plan() { expect 0 "$KML" submit --plan "$@"; }
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))'"$2"')' "$1"; }
jobs_of() { "$KML" list -l "kml.dev/idempotency-key=$(field "$1" '["id"]')" -o name; }

plan plan.json --name bert --gpus 4 --time-limit 2h -- sh -c 'echo ran >>ran'
contains "$out" "job bert: 1 pod, 4 GPUs, at most 8.067 GPU hours"  # with the grace period of 60 seconds
contains "$out" "job bert: starts now"
"$KML" schema plan >schema.json
python3 "$SOURCE/tests/support/json_schema.py" schema.json <plan.json || fail "$(cat plan.json)"
[ -z "$("$KML" list -o name)" ] || fail "the plan created a job"
# The same submit gives the same plan.
plan again.json --name bert --gpus 4 --time-limit 2h -- sh -c 'echo ran >>ran'
[ "$(field plan.json '["id"]')" = "$(field again.json '["id"]')" ] || fail "$(diff plan.json again.json)"

for i in 1 2 3 4 5 6; do "$KML" apply plan.json -o name >applied.$i 2>err.$i & done
wait
[ "$(sort -u applied.*)" = job.batch/bert ] || fail "$(cat applied.* err.*)"
[ "$(jobs_of plan.json)" = job.batch/bert ] || fail "$(jobs_of plan.json)"
expect 0 "$KML" apply plan.json --wait
contains "$out" "job bert submitted earlier"
[ "$(cat ran)" = ran ] || fail "ran twice"
plan again.json --name bert --gpus 4 --time-limit 2h -- sh -c 'echo ran >>ran'
contains "$out" "the plan was applied"
expect 0 "$KML" delete bert
expect 0 "$KML" apply plan.json
contains "$err" "its job has been deleted since; not creating another job"
[ -z "$("$KML" list -o name)" ] || fail "a second job"

# After a change of the code, kml.yaml, the folder, a manifest, or the plan itself, a plan is rejected if its
# result would differ.
refuses() { # FILE WHY
  expect 2 "$KML" apply "$1"
  contains "$err" "the plan is out of date"
  contains "$err" "$2"
  [ -z "$(jobs_of "$1")" ] || fail "$1 created a job"
}
mkdir -p code && echo 'echo one' >code/train.sh
plan code.json --code code -- sh train.sh
echo 'echo two' >code/train.sh
refuses code.json code
echo 'echo one' >code/train.sh
plan unchanged.json --code code -- sh train.sh
[ "$(field code.json '["id"]')" = "$(field unchanged.json '["id"]')" ] || fail "the same code is another plan"
expect 0 "$KML" apply code.json --wait
plan defaults.json -- true
echo 'priority: low' >kml.yaml
refuses defaults.json priorityClassName
rm kml.yaml
mkdir elsewhere
(cd elsewhere && refuses ../defaults.json "")
echo '{apiVersion: batch/v1, kind: Job, metadata: {name: m}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, command: ["true"]}]}}}}' >job.yaml
plan manifest.json -f job.yaml
sed -i s/true/false/ job.yaml
refuses manifest.json 'command[0] is "false" now, but was "true"'
sed 's/"sleep", "1"/"sleep", "2"/; s/"true"/"false"/' manifest.json >forged.json
expect 2 "$KML" apply forged.json
sed -i s/false/true/ job.yaml
for forged in 's/"pods": 1/"pods": 7/' 's/"gpuHours": 0/"gpuHours": 7/' 's/"submit": "kml/"submit": "kml --harmless/' \
  's/"user": "/"user": "not-/' 's/starts now/starts never/' 's/"made": "2/"made": "1/' '/"checksum"/d; s/\("gpuHours": 0\),/\1/'; do
  sed "$forged" manifest.json >forged.json
  expect 2 "$KML" apply forged.json
  contains "$err" "was changed after it was written"
done

# A plan does not contain secrets, and is not rejected if a secret has changed.
API_KEY=secret-of-ana plan secret.json --secret API_KEY -- true
! grep -q secret-of-ana secret.json || fail "the secret is in the plan"
API_KEY=rotated expect 0 "$KML" apply secret.json
expect 2 "$KML" submit --plan no.json --env DB_PASSWORD=hunter2 -- true
contains "$err" "looks like a secret"
[ ! -e no.json ] || fail "a plan with a secret"

# A plan that could not run is not written.
expect 1 "$KML" submit --plan no.json --gpus 64 -- true
contains "$err" "the largest node has 8 GPUs"
[ ! -e no.json ] || fail "a plan that cannot run"
expect 2 "$KML" submit --plan no.json --replace -- true
expect 2 "$KML" submit --plan no.json -f - </dev/null
contains "$err" "a plan cannot use standard input"
expect 2 "$KML" apply job.yaml
contains "$err" "kml submit -f job.yaml"
expect 2 "$KML" apply -f job.yaml
expect 2 "$KML" apply

# Tests plans of other commands: which GPU hours they include, that they start nothing, that they are applied
# once, and what cannot be planned.
cat >pipe.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: pipe}
spec:
  steps:
    make: {command: [sh, -c, 'echo 1 >${out.one}'], outputs: {one: file}, gpus: 1, time-limit: 1h, retries: 1}
    tune: {sweep: {param: {x: '1,2'}, maximize: score}, command: [sh, -c, 'echo score={x}']}
    each: {foreach: {n: make.list}, command: [echo, '${item.n}']}
Y
sed '/tune:/d; /each:/d' pipe.yaml >small.yaml
sed -i "s/outputs: {one: file}/outputs: {list: value}/; s/out.one/out.list/; s/echo 1/echo [1]/" pipe.yaml
expect 0 "$KML" run pipe.yaml --plan pipe.json
contains "$out" "step make: 1 pod, 1 GPU, at most 2.034 GPU hours"
contains "$out" "step tune, a sweep: not counted"
contains "$out" "whose number of iterations is known only during the run: not counted"
score=(--param x=1,2,3 --maximize score -- sh -c 'echo score={x}')
plans=("sweep run s1 --gpus 1 --parallel 2 --time-limit 1h" "run small.yaml --name small-1" "serve web" "rerun bert --name bert-again")
counted=("sweep s1: 2 pods, 2 GPUs, at most 3.05 GPU hours" "step make: 1 pod, 1 GPU, at most 2.034 GPU hours" "deployment web: 1 pod"
  "job bert-again: 1 pod, 4 GPUs, at most 8.067 GPU hours")
started=(sweep.kml.dev/s1 run.kml.dev/small-1 deployment.apps/web job.batch/bert-again)
for i in 0 1 2 3; do
  rest=()
  [ $i != 0 ] || rest=("${score[@]}")
  [ $i != 2 ] || rest=(-- sh -c 'exec python3 -m http.server $PORT')
  expect 0 "$KML" ${plans[i]} --plan other.json -o json "${rest[@]}"
  cp other.json "other-$i.json"
  expect 0 "$KML" ${plans[i]} --plan other.json "${rest[@]}"
  contains "$out" "${counted[i]}"
  [ "$(field other.json '["id"]')" = "$(field "other-$i.json" '["id"]')" ] || fail "$(diff other.json "other-$i.json")"
  python3 "$SOURCE/tests/support/json_schema.py" schema.json <other.json || fail "$(cat other.json)"
  sed 's/"gpus": [0-9]*/"gpus": 0/; s/"pods": 1/"pods": 2/' other.json >forged.json
  expect 2 "$KML" apply forged.json
  everything=$("$KML" sweep list -o name; "$KML" run list -o name; "$KML" serve list -o name; "$KML" list -o name)
  case $everything in *"${started[i]#*/}"*) fail "${plans[i]} --plan started it: $everything" ;; esac
  for j in 1 2 3 4; do "$KML" apply other.json -o name >applied.$j 2>err.$j & done
  wait
  [ "$(cat applied.[1-4] | sort -u)" = "${started[i]}" ] || fail "$(cat applied.[1-4] err.[1-4])"
done
[ "$("$KML" sweep list -o json | grep -c '"name"')" = 1 ] && [ "$("$KML" run list -o json | grep -c '"name": "small-1"')" = 1 ] || fail "$("$KML" sweep list; "$KML" run list)"
expect 2 "$KML" apply other-0.json --follow
contains "$err" "kml sweep attach s1"
expect 0 "$KML" serve stop web
expect 0 "$KML" apply other-2.json
contains "$err" "the plan was applied earlier"
expect 2 "$KML" sweep run s1 --plan no.json --gpus 1 "${score[@]}"
contains "$err" "sweep s1 exists"
expect 2 "$KML" run small.yaml --name small-1 --until make --plan no.json
contains "$err" "run small-1 already exists"
for words in "sweep run s2 --replace" "sweep run s2 --fork" "sweep run s2 --in-cluster" "sweep run s2 --dry-run" "run small.yaml --in-cluster" \
  "run small.yaml --every 1h" "run small.yaml --dry-run" "serve web --dry-run" "rerun bert --wait" "rerun bert --replace" "rerun bert --dry-run"; do
  rest=()
  case $words in sweep*) rest=("${score[@]}") ;; serve*) rest=(-- true) ;; esac
  expect 2 "$KML" $words --plan no.json "${rest[@]}"
  contains "$err" "--plan"
done
[ ! -e no.json ] || fail "a plan that must not exist"

# kml is killed at random moments while it applies a plan, and the plan is applied again: each plan has exactly one
# job. KML_KILLS sets the number of kills.
for ((i = 0; i < ${KML_KILLS:-12}; i++)); do
  plan "kill$i.json" --env "I=$i" -- true
  "$KML" apply "kill$i.json" >/dev/null 2>&1 &
  sleep "0.0$((RANDOM % 6))$((RANDOM % 10))"
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  expect 0 "$KML" apply "kill$i.json"
  [ "$(jobs_of "kill$i.json" | grep -c .)" = 1 ] || fail "kill $i: $(jobs_of "kill$i.json")"
done
