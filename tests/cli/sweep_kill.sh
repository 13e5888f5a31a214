# After kill -9 at several moments, the sweep continues. No trial is lost, and none runs twice.
. "$(dirname "$0")/lib.sh"
mkdir ran
cat >train.sh <<'T'
echo x >>"ran/$2"
sleep 0.1
echo "score=$1"
T
run() {
  "$KML" sweep run s1 --param x=0..1/0.001 --maximize score --trials 30 --parallel 4 --algorithm random -- sh train.sh '{x}' '{trial}'
}
expect 0 "$KML" local up
kills=0
for after in 0.05 0.2 0.1 0.3 0.15; do
  run >out 2>&1 &
  engine=$!
  sleep "$after"
  pkill -9 -P $engine || true
  wait $engine || true
  kills=$((kills + 1))
done
expect 0 run
[ "$(ls ran | wc -l)" = 30 ] || fail "$(ls ran | wc -l) trials ran"
[ "$(cat ran/* | wc -l)" = 30 ] || fail "some ran twice: $(wc -l ran/*)"
expect 0 "$KML" sweep replay s1
contains "$out" "30 proposals, 0 differ"

# A second engine is rejected, and `stop` stops the first.
"$KML" sweep run s2 --param x=1..9 --maximize score --parallel 2 -- sh -c 'sleep 1000; echo score={x}' >out 2>&1 &
engine=$!
running() { [ "$("$KML" list -o name | grep -c s2-)" = 2 ]; }
eventually running
expect 1 "$KML" sweep resume s2
contains "$err" "by process"
expect 0 "$KML" sweep stop s2
wait $engine && fail "it has a result" || true
expect 0 "$KML" sweep status s2
contains "$out" "ended: stopped"
contains "$out" "0 of 9 trials done, 0 running, 2 withdrawn"

# If no engine is running, `kml sweep stop` itself stops the trials.
"$KML" sweep resume s2 >out 2>&1 &
engine=$!
running() { [ "$("$KML" list | grep -c "s2-.*Running")" = 2 ]; }
eventually running
kill -9 $engine
wait $engine || true
expect 0 "$KML" sweep stop s2
contains "$err" "no engine was running"
expect 0 "$KML" list
[[ "$out" != *Running* ]] || fail "$out"

# After a stop with --drain, running trials continue to their end.
"$KML" sweep run s4 --param x=1..3 --maximize score --parallel 2 -- sh -c 'until [ -e go ]; do sleep 0.05; done; echo score={x}' >out4 2>&1 &
engine=$!
running() { [ "$("$KML" list -o name | grep -c s4-)" = 2 ]; }
eventually running
expect 0 "$KML" sweep stop s4 --drain
touch go
wait $engine
contains "$(cat out4)" "2 of 3 trials done, 0 running"
expect 0 "$KML" sweep resume s4
contains "$err" "3 of 3 trials done"

# After Ctrl-C, kml says how to continue, and the trials keep running.
"$KML" sweep run s3 --param x=1..9 --maximize score --trials 2 -- sh -c 'until [ -e interrupted ]; do sleep 0.05; done; echo score={x}' >out 2>&1 &
engine=$!
running() { [ "$("$KML" list -o name | grep -c s3-)" = 2 ]; }
eventually running
kill -INT $engine
got=0; wait $engine || got=$?
[ $got = 130 ] || fail "exit $got: $(cat out)"
contains "$(cat out)" "kml sweep resume s3"
touch interrupted
expect 0 "$KML" sweep resume s3
contains "$err" "all 2 trials are done"
