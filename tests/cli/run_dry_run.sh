# Tests what decides whether a step runs: each relevant edit alone makes the right step run again, for the right reason,
# and other edits have no effect. --dry-run predicts this, and the run then does the same.
. "$(dirname "$0")/lib.sh"
mkdir -p project bin templates home
cd project
git init -q .
mkdir lib
echo x >lib/part.sh
echo 'echo load >>../ran; echo "1 2 3" >"$1"' >load.sh
echo 'echo train >>../ran; cat "$1" >"$2"' >train.sh
printf '#!/bin/sh\nexec sh "$@"\n' >../bin/runner
chmod +x ../bin/runner
export PATH=$work/bin:$PATH
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: ten}
spec:
  params: {rate: {type: int, default: 1}, unused: {type: int, default: 1}}
  steps:
    load:
      command: [sh, load.sh, "${out.data}"]
      code: {paths: [load.sh]}
      outputs: {data: dataset}
    train:
      inputs: {data: load.data}
      command: [runner, train.sh, "${in.data}", "${out.model}", "--rate=${params.rate}"]
      code: {paths: [train.sh, lib]}
      outputs: {model: model}
      image: trainer:1
      env: {LR: "0.1"}
Y
run() { expect 0 timeout 1000 "$KML" run p.yaml "$@"; }
# plan STEP TEXT [FLAGS]: checks that the step's line in the plan contains the text, with each run of white space as
# one blank.
plan() {
  run --dry-run "${@:3}"
  local line
  line=$(grep "^ *$1 " "$work/out" | tr -s ' ')
  [[ "${line# }" == "$1 $2"* ]] || fail "$1: not \"$2\": $out"
}
# edited CAUSE [FLAGS]: checks that only the step train must run, for that cause, and runs it; afterwards,
# no step must run.
edited() {
  plan load "HIT made by ten-" "${@:2}"
  plan train "RUN $1" "${@:2}"
  : >../ran
  run "${@:2}"
  [ "$(cat ../ran)" = train ] || fail "$1: ran $(cat ../ran)"
  plan train "HIT made by ten-" "${@:2}"
}
edit() { sed -i "$1" p.yaml; }
plan load "RUN it has no result yet"
plan train "RUN it has no result yet"
run
[ "$(tr '\n' ' ' <../ran)" = "load train " ] || fail "ran $(cat ../ran)"
plan load "HIT"
plan train "HIT"
run --dry-run -o json
contains "$out" '"plan": "hit"'

# 1. Edits the script's content. A change of its time alone has no effect.
touch -d '2001-01-01' load.sh train.sh
plan train "HIT"
echo 'echo train >>../ran; cat "$1" "$1" >"$2"' >train.sh
edited "train.sh changed"
# 2. The environment.
edit 's/LR: "0.1"/LR: "0.2"/'
edited "env LR changed"
edit 's/{LR: "0.2"}/{LR: "0.2", SEED: "1"}/'
edited "env SEED added"
edit 's/LR: "0.2", //'
edited "env LR removed"
# 3. Changes a parameter that the step uses. Other parameters have no effect.
plan train "HIT" -p unused=2
edited "param rate: 1 -> 2" -p rate=2
plan train "HIT"
# 4. Adds a file to the step's code, removes one, and makes one executable. A file that git ignores has no effect.
echo x >lib/helper.sh
edited "lib/helper.sh added"
chmod +x lib/helper.sh
edited "lib/helper.sh changed"
rm lib/helper.sh
plan train "HIT" # the code is as before, so the earlier result is valid; later changes are compared with it
run
echo ignored >lib/.gitignore
edited "lib/.gitignore added"
echo 1 >lib/ignored
plan train "HIT"
# 5. The image.
edit 's/trainer:1/trainer:2/'
edited "image changed"
# 6. An output.
edit 's/{model: model}/{model: model, note: {metric: note}}/'
sed -i 's/$/; echo note=1/' train.sh
run
edit 's/, note: {metric: note}//'
plan train "RUN output note removed"
run
edit 's/{model: model}/{model: folder}/'
plan train "RUN output model changed"
edit 's/{model: folder}/{model: model}/'
# 7. Changes the salt of the step's cache key.
edit 's/      image: trainer:2/&\n      cache: {salt: "2"}/'
edited "cache.salt added"
# 8. Changes the program that the command names.
printf '#!/bin/sh\nexec bash "$@"\n' >../bin/runner
edited "program runner changed"
# 9. Uses a different template, and changes a template's text.
sed 's/^#.*//' "$SOURCE/templates/job.yaml" >own.yaml
echo own.yaml >>lib/.gitignore
run
edit 's|      image: trainer:2|&\n      template: ./own.yaml|'
expect 0 "$KML" trust p.yaml
run --dry-run
contains "$out" "template added"
run
echo '# one more line' >>own.yaml
expect 2 "$KML" run p.yaml --dry-run
contains "$err" "p.yaml has changed since you trusted it"
expect 0 "$KML" trust p.yaml
edited "template ./own.yaml changed"
# 10. The command.
edit 's/"--rate/"--fast", "--rate/'
expect 0 "$KML" trust p.yaml
edited "command changed"
# Changes the input: the previous step makes another file, and later the first one again.
echo 'echo load >>../ran; echo "4 5 6" >"$1"' >load.sh
: >../ran
plan load "RUN load.sh changed"
run
[ "$(tr '\n' ' ' <../ran)" = "load train " ] || fail "ran $(cat ../ran)"
name=$("$KML" run list -o json | sed -n 's/.*"name": "\(ten-[^"]*\)".*/\1/p' | while read -r name; do grep -l '"cause":"[^"]*input data changed' "$XDG_STATE_HOME/kml/runs/$name/journal.jsonl" || true; done)
[ -n "$name" ] || fail "no run has the cause that the input changed"
: >../ran
echo 'echo load >>../ran; echo "4 5" "6" >"$1"' >load.sh
run
[ "$(cat ../ran)" = load ] || fail "the same was made again, and yet ran: $(cat ../ran)"
contains "$out" "train cached"
# Makes edits without effect: to resources, retries, the time limit, comments.
edit 's/      image: trainer:2/&\n      cpu: 1\n      memory: 1Gi\n      retries: 3\n      time-limit: 1h\n      # a comment/'
expect 0 "$KML" trust p.yaml
plan load HIT
plan train HIT
# The step runs because a flag requests it.
plan train "RUN --refresh" --refresh train
plan load "RUN --no-cache" --no-cache
expect 2 "$KML" run p.yaml --refresh trian
contains "$err" 'did you mean'

# Tests a condition that is false or true whatever the previous steps make.
cat >known.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: known}
spec:
  params: {go: {type: bool, default: false}}
  steps:
    a: {command: [sh, -c, 'echo 2 >"$0"', "${out.v}"], outputs: {v: value}}
    no: {when: a.v > 1 && params.go, command: ["true"]}
    yes: {when: a.v > 1 || !params.go, command: ["true"]}
    open: {when: a.v > 1 && !params.go, command: ["true"]}
Y
expect 0 timeout 1000 "$KML" run known.yaml --dry-run
found=$(tr -s ' ' <"$work/out")
contains "$found" $'\n no SKIP a.v > 1 && params.go does not hold'
contains "$found" $'\n yes RUN it has no result yet'
contains "$found" $'\n open RUN? runs if a.v > 1 && !params.go'

# A value that a step has made is compared as it was written, in the plan and in the run.
cat >texts.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: texts}
spec:
  steps:
    a:
      command: [sh, -c, 'echo 1e3 >"$0"; echo 1.50 >"$1"; echo 007 >"$2"; echo 9 >"$3"', "${out.e}", "${out.f}", "${out.z}", "${out.n}"]
      outputs: {e: value, f: value, z: value, n: value}
    c1: {when: a.e == "1e3", command: ["true"]}
    c2: {when: a.e == 1000, command: ["true"]}
    c3: {when: a.f == "1.50", command: ["true"]}
    c4: {when: a.f == 1.5, command: ["true"]}
    c5: {when: a.z == "007", command: ["true"]}
    c6: {when: a.n > 1 && a.n == "9", command: ["true"]}
    c7: {when: a.n > 9, command: ["true"]}
Y
expect 0 timeout 1000 "$KML" run texts.yaml --name texts
skipped=$("$KML" run status texts -o json | python3 -c 'import json, sys
print(*[step["name"] for step in json.load(sys.stdin)["steps"] if step["state"] == "skipped"])')
expect 0 timeout 1000 "$KML" run texts.yaml --dry-run
[ "$(awk '$2 == "SKIP" { print $1 }' "$work/out" | xargs)" = "$skipped" ] || fail "run: $skipped, plan: $out"
contains "$skipped" c7

# A condition that cannot be evaluated makes its step fail, which the plan says.
cat >fault.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: fault}
spec:
  steps:
    a: {command: [sh, -c, 'echo NaN >"$0"', "${out.n}"], outputs: {n: value}}
    bad: {when: '!(a.n > 1)', command: ["true"]}
Y
expect 3 timeout 1000 "$KML" run fault.yaml
expect 0 timeout 1000 "$KML" run fault.yaml --dry-run
contains "$(tr -s ' ' <"$work/out")" " bad RUN fails: !(a.n > 1): "

# kml's own state is not code, even if it is below the pipeline's folder.
cd ..
cat >own.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: own}
spec: {steps: {a: {command: [sh, -c, 'echo 1 >"$0"', "${out.d}"], code: {paths: [state, bin]}, outputs: {d: file}}}}
Y
expect 0 timeout 1000 "$KML" run own.yaml
expect 0 timeout 1000 "$KML" run own.yaml --dry-run
contains "$(tr -s ' ' <"$work/out")" "a HIT"
cd project

# On a cluster, `paths` alone sends no code, and kml says so.
kubeconfig_of_cluster
cat >there.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: there}
spec:
  defaults: {image: i}
  steps:
    one: {command: [sh], code: {paths: [load.sh]}}
    two: {command: [sh], code: {folder: ., paths: [load.sh]}}
    three: {command: [sh]}
Y
expect 0 timeout 1000 "$KML" --kubeconfig kubeconfig --context there run there.yaml --dry-run
contains "$err" "no code is sent for one: "
# On a cluster, steps choose GPUs by labels, never by claims.
cat >gpus.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: gpus}
spec:
  params: {type: "h100|a100"}
  defaults: {image: i}
  steps:
    one: {command: [sh], gpus: "${params.type}:2"}
    two: {command: [sh], gpus: ">=40Gi:1"}
    three: {command: [sh], gpus: "a100:1"}
Y
expect 0 timeout 1000 "$KML" --kubeconfig kubeconfig --context there run gpus.yaml --dry-run
for type in 'h100|a100' '>=40Gi'; do contains "$err" "--gpus $type selects nodes by their labels"; done
[ "$(grep -c 'selects nodes by their labels' <<<"$err")" = 2 ] || fail "$err"
