# kml sweep logs -f: also follows trials that start later, until the sweep ends.
. "$(dirname "$0")/lib.sh"
"$KML" sweep run s1 --param x=1..3 --maximize score --trials 3 --parallel 1 -- \
  sh -c "echo line of trial {x}; until [ -e $work/go-{x} ]; do sleep 0.05; done; echo score={x}" >run.out 2>&1 &
engine=$!
a_trial_runs() { "$KML" list | grep -q "s1-t.*Running"; }
eventually a_trial_runs
"$KML" sweep logs s1 -f >log 2>err &
follower=$!
for trials in 1 2 3; do
  has_lines() { [ "$(grep -c "line of trial" log)" = $trials ]; }
  eventually has_lines
  kill -0 $follower || fail "the command ended before the sweep: $(cat err)"
  touch "go-$(grep -o 'line of trial .' log | tail -n 1 | tail -c 2)"
done
code=0
wait $follower || code=$?
[ $code = 0 ] || fail "exit $code: $(cat err)"
wait $engine || fail "the sweep failed: $(cat run.out)"
[ "$(grep -c score= log)" = 3 ] || fail "not the lines of all trials: $(cat log)"

# A sweep that has ended: the command ends, too.
expect 0 timeout 1000 "$KML" sweep logs s1 -f
[ "$(grep -c score= <<<"$out")" = 3 ] || fail "$out"
