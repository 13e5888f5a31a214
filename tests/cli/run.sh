# kml run: steps pass files and values to each other, unchanged steps do not run again, and runs can be listed, read,
# stopped, resumed and deleted.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project
cat >make.sh <<'SH'
echo "$1" >>../ran
mkdir -p "$2" && seq "$3" >"$2/numbers"
SH
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: sums}
spec:
  params: {count: {type: int, default: 10}}
  defaults: {code: {paths: [make.sh]}}
  steps:
    make:
      command: [sh, make.sh, make, "${out.data}", "${params.count}"]
      outputs: {data: folder}
    sum:
      foreach: {factor: [1, 2]}
      inputs: {data: make.data}
      command: [sh, -c, 'echo sum >>../ran; s=0; while read n; do s=$((s+n)); done <"$0/numbers"; echo $((s*$1)) >"$2"; echo "score=$((s*$1))"', "${in.data}", "${item.factor}", "${out.text}"]
      outputs: {text: file, score: metric}
    join:
      inputs: {texts: sum.text, scores: sum.score}
      when: max(sum.score) > 100
      command: [sh, -c, 'echo join >>../ran; cat "$@" >"$0"', "${out.all}", {$splice: "${in.texts}"}]
      outputs: {all: file}
  onExit: {command: [sh, -c, 'echo "$0 $1" >>../ran', "${run.name}", "${run.status}"]}
Y
ran() { sort ../ran | uniq -c | tr -s ' \n' ' '; }

expect 0 "$KML" run ./pipeline.yaml --dry-run
contains "$out" "make           RUN   it has no result yet"
contains "$out" "join       RUN?  runs if max(sum.score) > 100"
[ ! -e ../ran ] || fail "--dry-run has run something"

expect 0 "$KML" run pipeline.yaml --name one
contains "$out" "sum-1 done"
contains "$out" "score=110"
contains "$err" "run one succeeded"
[ "$(ran)" = " 1 join 1 make 1 one succeeded 2 sum " ] || fail "ran: $(ran)"
[ "$(cat "$XDG_STATE_HOME"/kml/artifacts/data/one/join/0/all)" = $'55\n110' ] || fail "not what the steps wrote"

expect 0 "$KML" run pipeline.yaml --name two
contains "$out" "join cached"
contains "$out" "made by one"
[ "$(ran)" = " 1 join 1 make 1 one succeeded 2 sum 1 two succeeded " ] || fail "ran again: $(ran)"

# With another parameter, the steps that depend on it run again. A false condition skips its step, and the
# steps that read from that step.
expect 0 "$KML" run pipeline.yaml -p count=4 --name three
contains "$out" "join skipped  max(sum.score) > 100 does not hold"
expect 2 "$KML" run pipeline.yaml -p cuont=4
contains "$err" 'no parameter "cuont"; did you mean "count"?'
expect 2 "$KML" run pipeline.yaml --name one
contains "$err" "run one already exists"
expect 2 "$KML" run pipeline.yaml --refresh mkae
contains "$err" 'did you mean "make"?'

# Files in a step's command are inputs, wherever they are.
echo one >../outside.txt
cat >named.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: named}
spec:
  defaults: {code: {paths: [make.sh]}}
  steps: {copy: {command: [cp, ../outside.txt, "${out.x}"], outputs: {x: file}}}
Y
expect 0 "$KML" run named.yaml --name n
echo two >../outside.txt
expect 0 "$KML" run named.yaml --dry-run
contains "$out" "RUN   ../outside.txt changed"
expect 0 "$KML" run delete n

# A step fails; its log is shown; the same run continues after the cause was fixed.
cat >fails.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: fails}
spec:
  steps:
    first: {command: [sh, -c, 'echo one >"$0"', "${out.x}"], outputs: {x: file}}
    second: {inputs: {x: first.x}, command: [sh, -c, 'echo trying; test -e ../ready']}
    third: {after: [second], command: ["true"]}
Y
expect 3 "$KML" run fails.yaml --name f
contains "$out" "second failed"
contains "$err" "kml run logs f second"
expect 0 "$KML" run logs f second
contains "$out" "trying"
expect 0 "$KML" run status f
contains "$out" "not run"
expect 0 "$KML" why f
contains "$err" "run f: step second failed"
contains "$out" "f-second"
touch ../ready
expect 0 "$KML" run resume f
contains "$out" "third done"
expect 0 "$KML" why f
contains "$err" "nothing blocks run f"
[[ $out != *first* ]] || fail "what was done is told again: $out"

expect 0 "$KML" run list
contains "$out" "one    sums      succeeded  5/5"
expect 0 "$KML" run list -o name
[ "$out" = $'one\ntwo\nthree\nf' ] || fail "names: $out"
expect 0 "$KML" run status two -o json
python3 - "$out" <<'PY' || fail "JSON of a run"
import json, sys
run = json.loads(sys.argv[1])
assert run["state"] == "succeeded" and run["params"] == {"count": 10}, run
join = next(step for step in run["steps"] if step["name"] == "join")
assert join["state"] == "cached" and join["from"] == "one" and join["outputs"]["all"]["files"] == 1, join
PY

# Stopping a run ends its steps.
cat >sleeps.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: sleeps}
spec: {steps: {nap: {command: [sleep, "600"]}}}
Y
"$KML" run sleeps.yaml --name s >s.out 2>&1 &
running() { "$KML" run status s | grep -q running; }
eventually running
expect 0 "$KML" run stop s
wait $! && fail "a stopped run succeeded" || [ $? = 3 ] || fail "exit code of a stopped run"
expect 0 "$KML" run status s
contains "$out" "cancelled"

expect 0 "$KML" run delete one # allowed, although other runs use its results
contains "$err" "used by other runs"
expect 2 "$KML" run status one
contains "$err" 'no run "one"'
[ -z "$("$KML" list -l kml.dev/run=one -o name)" ] || fail "jobs of a deleted run are left"
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "make           HIT"
expect 0 "$KML" run pipeline.yaml --name four --no-cache
expect 0 "$KML" run delete four --force
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "make           RUN   "

# Runs a single step and the steps that it needs. If one of several named runs cannot be deleted, none is.
rm -f ../ran
expect 0 "$KML" run pipeline.yaml --until sum --no-cache --name until
[ "$(ran)" = " 1 make 2 sum 1 until succeeded " ] || fail "ran: $(ran)"
expect 0 "$KML" run status until
[[ "$out" != *join* ]] || fail "a step that was not asked for: $out"
expect 2 "$KML" run pipeline.yaml --until mkae
contains "$err" 'did you mean "make"?'
expect 2 "$KML" run delete until nothing
expect 0 "$KML" run status until
count=$("$KML" run list -o name | wc -l)
expect 0 "$KML" run pipeline.yaml --until make --name until-2
expect 0 "$KML" run delete until until-2
[ "$("$KML" run list -o name | wc -l)" = $((count - 1)) ] || fail "not both: $("$KML" run list)"

# After a failure, the steps that do not depend on the failed one only run if requested. Resuming the run keeps that
# setting.
mkdir going && cd going
cat >pipeline.yaml <<'EOF'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: going}
spec:
  steps:
    bad: {command: [sh, -c, "exit 3"]}
    never: {after: [bad], command: ["true"]}
    last: {after: [other], command: ["true"]}
    other: {command: [sh, -c, "while [ ! -e ../failed ]; do sleep 0.1; done"]}
EOF
states() { "$KML" run status "$1" -o json | python3 -c 'import json, sys; print(*(s["name"] + "=" + s["state"] for s in json.load(sys.stdin)["steps"]))'; }
(until [[ "$("$KML" run status stops -o json 2>/dev/null)" =~ '"failed"' ]]; do sleep 0.2; done; touch ../failed) &
expect 3 "$KML" run pipeline.yaml --no-cache --name stops
[ "$(states stops)" = "bad=failed never=waiting other=done last=waiting" ] || fail "$(states stops)"
expect 3 "$KML" run pipeline.yaml --no-cache -k --name goes
[ "$(states goes)" = "bad=failed never=skipped other=done last=done" ] || fail "$(states goes)"
expect 3 "$KML" run resume goes
[ "$(states goes)" = "bad=failed never=skipped other=done last=done" ] || fail "resumed: $(states goes)"
expect 0 "$KML" run resume goes --detach
contains "$out" "run goes is running in the background"
expect 3 "$KML" run attach goes
[ "$(states goes)" = "bad=failed never=skipped other=done last=done" ] || fail "resumed: $(states goes)"
