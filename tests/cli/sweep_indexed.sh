# Tests a sweep with all trials in one Indexed Job: its table, retries, a killed engine, and the commands that read it.
. "$(dirname "$0")/lib.sh"
unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: skipped"; exit 0; }
sweep() { "$KML" sweep "$@"; }
cat >train.sh <<'E'
echo "args: $*" "env $MIXED" "trial $KML_TRIAL"
x=${1#--x=}
for step in 1 2; do echo "step=$step score=$((x * step))"; done
E
# Braces, dollars and quotes around placeholders stay unchanged.
first() { sweep run s1 --fan-out "$1" --param x=1..9 --param 'opt=adam,it'\''s a $HOME' --maximize score --trials 18 \
  --parallel 6 --algorithm grid --env 'MIXED=<{opt}> $(x) {y}' -- sh train.sh '{args}' '{"a": $1}' "x'{x}'" '$(nothing)'; }
expect 0 first indexed
contains "$err" "best: x=9"
[ "$(echo "$out" | grep -c '^trial .* complete')" = 18 ] || fail "$out"
[ "$("$KML" list -o name | wc -l)" = 1 ] || fail "$("$KML" list)"
expect 0 "$KML" logs s1 --rank 17
contains "$out" "args: --x=9 --opt=it's a \$HOME {\"a\": \$1} x'9' \$(nothing) env <it's a \$HOME> \$(x) {y} trial 17"
expect 0 sweep logs s1 17
contains "$out" "trial 17"
[[ $out != *"trial 16"* ]] || fail "$out"
expect 0 sweep best s1
[[ "$out" == "score=18 (trial 16, job s1-16)"* || "$out" == "score=18 (trial 17, job s1-17)"* ]] || fail "$out"  # the first to end
"$KML" sweep best s1 -o yaml >best.yaml
expect 0 "$KML" submit -f best.yaml --wait
expect 0 sweep export s1
[ "$(echo "$out" | wc -l)" = 19 ] || fail "$out"
expect 0 sweep replay s1
contains "$out" "18 proposals, 0 differ"
# The Job owns the ConfigMap with the table of trials.
"$KML" local kubeconfig >kubeconfig
tables=$(kubectl --kubeconfig kubeconfig get configmap -l kml.dev/sweep=s1 \
  -o jsonpath='{.items[*].metadata.ownerReferences[*].name} {.items[*].immutable}')
[ "$tables" = "s1 true" ] || fail "$tables"
expect 2 first jobs
contains "$err" "spec.fanOut"

# A larger budget adds one more Job. The server retries failures, and counts them.
cat >fails.sh <<'E'
echo x >>tries-$1
[ $1 != 2 ] || [ $(wc -l <tries-2) = 2 ] || { echo step=1 score=77; exit 4; }
[ $1 != 3 ] || exit 5
echo "step=1 score=$1"
E
more() { sweep run s2 --fan-out indexed --param x=0..5 --maximize score --algorithm grid --retries 1 --parallel 2 "$@" -- \
  sh fails.sh '{x}'; }
expect 0 more --trials 4
contains "$out" "trial 2 complete  score=2  x=2"
contains "$out" "trial 3 failed  x=3  exit code 5"
[ "$(wc -l <tries-3)" = 2 ] || fail "$(cat tries-3)"
expect 0 more --trials 6
contains "$err" "best: x=5"
contains "$(sweep export s2 -o jsonl)" '"job":"s2-w1-1"'
for i in 0 1 4 5; do [ "$(wc -l <tries-$i)" = 1 ] || fail "trial $i ran $(wc -l <tries-$i) times"; done

# After the engine is killed, the next engine continues the same Job. A deleted Job is created again for the remaining
# trials.
slow() { exec "$KML" sweep run s3 --fan-out indexed --param x=0..7 --maximize score --algorithm grid --trials 8 --parallel 2 -- \
  sh -c 'echo {x} >>ran; until [ -e go-{x} ]; do sleep 0.02; done; echo score={x}'; }
touch go-0 go-1 go-2
(slow) >out1 2>&1 &
engine=$!
ended() { [ "$(sweep export s3 | grep -c ,complete,)" = "$1" ]; }
eventually ended 3
kill -9 $engine
wait $engine || true
touch go-3 go-4
(slow) >out2 2>&1 &
engine=$!
eventually ended 5
[ "$(sort ran | uniq -d)" = "" ] || fail "ran twice: $(sort ran | uniq -d)"
"$KML" delete s3
touch go-5 go-6 go-7
wait $engine || fail "$(cat out2)"
contains "$(cat out2)" "best: x=7"
contains "$(sweep export s3 -o jsonl)" '"job":"s3-w1-0"'
for i in 0 1 2 3 4; do [ "$(grep -c "^$i$" ran)" = 1 ] || fail "trial $i ran again"; done

# Stopping the sweep ends the engine and all trials.
(exec "$KML" sweep run s4 --fan-out indexed --param x=0..7 --maximize score --algorithm grid --trials 8 --parallel 2 -- \
  sh -c 'echo step=1 score={x}; sleep 10000') >out4 2>&1 &
engine=$!
reports() { [ "$("$KML" logs s4 | grep -c score)" = 2 ]; }
eventually reports
expect 0 sweep stop s4
wait $engine || true
contains "$(cat out4)" "ended: stopped"
[ "$(sweep export s4 | grep -c ,withdrawn,)" = 8 ] || fail "$(sweep export s4)"
contains "$(sweep status s4)" "0 of 8 trials done, 0 running, 8 withdrawn"

# Settings that are impossible in one Job are rejected with their paths, all at once.
expect 2 sweep run s5 --fan-out indexed --param x=0..7 --maximize score --algorithm tpe --early-stopping median --time 1h \
  -- echo '{x}'
contains "$err" "--algorithm: tpe"
contains "$err" "--early-stopping: "
contains "$err" "--time: "
