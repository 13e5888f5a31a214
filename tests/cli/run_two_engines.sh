# Two engines for one run: the second is rejected with the process id of the first, and the run ends as if the first
# engine had been alone. If two runs need the same result at the same time, only one makes it.
. "$(dirname "$0")/lib.sh"
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: two}
spec:
  steps:
    wait:
      command: [sh, -c, 'echo wait >>ran; until [ -e go ]; do sleep 0.05; done; echo made >"$0"', "${out.file}"]
      code: {paths: [p.sh]}
      outputs: {file: file}
    read:
      inputs: {file: wait.file}
      command: [sh, -c, 'echo read >>ran; cat "$0"', "${in.file}"]
      code: {paths: [p.sh]}
Y
touch p.sh
"$KML" run p.yaml >out1 2>err1 &
engine=$!
eventually test -s ran
run=$(sed -n 's/^kml: run \(two-[a-z0-9]*\)$/\1/p' err1)
[ -n "$run" ] || fail "the run is not named: $(cat err1)"
expect 1 "$KML" run resume "$run"
contains "$err" "run $run is already running"
contains "$err" "by process $engine"
contains "$err" "kml run status $run"
expect 1 "$KML" run delete "$run"
contains "$err" "run $run is already running"
expect 0 "$KML" run list
contains "$out" "running"
touch go
wait $engine || fail "exit $?: $(cat out1 err1)"
[ "$(sort ran | tr '\n' ' ')" = "read wait " ] || fail "ran: $(cat ran)"
expect 0 "$KML" run status "$run"
contains "$out" "succeeded"

# Starting the same pipeline twice at the same time makes two runs. One waits for results that the other is making.
rm go
echo 2 >p.sh
begun() { [ "$(grep -c wait ran)" = "$1" ]; }
"$KML" run p.yaml --name first >out1 2>err1 &
first=$!
eventually begun 2
"$KML" run p.yaml --name second >out2 2>err2 &
second=$!
waits() { "$KML" run status second | grep -q "waits for run first, which is making the same"; }
eventually waits
touch go
wait $first || fail "exit $?: $(cat out1 err1)"
wait $second || fail "exit $?: $(cat out2 err2)"
begun 2 || fail "the same was made twice: $(cat ran)"
contains "$(cat out2)" "wait cached"
contains "$(cat out2)" "made by first"
expect 0 "$KML" run list -o name
[ "$(wc -l <"$work/out")" = 3 ] || fail "$out"

# If an engine is killed, the waiting one makes the result.
rm go
echo 3 >p.sh
"$KML" run p.yaml --name third >out1 2>err1 &
third=$!
eventually begun 3
"$KML" run p.yaml --name fourth >out2 2>err2 &
fourth=$!
waits() { "$KML" run status fourth | grep -q "waits for run third"; }
eventually waits
kill -9 $third
eventually begun 4
touch go
wait $fourth || fail "exit $?: $(cat out2 err2)"
contains "$(cat out2)" "wait done"
