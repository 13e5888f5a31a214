# Runs a sweep from the command line up to its best trial, and then the commands that read the sweep.
. "$(dirname "$0")/lib.sh"
cat >train.sh <<'T'
for step in 1 2; do echo "step=$step score=$(($1 * step))"; done
T
sweep() { "$KML" sweep "$@"; }
expect 0 sweep run s1 --param x=1..9 --maximize score --trials 9 --parallel 3 --algorithm grid -- sh train.sh '{x}'
contains "$err" "best: x=9"
[ "$(echo "$out" | grep -c '^trial .* complete')" = 9 ] || fail "$out"
expect 0 sweep status s1
contains "$out" "9 of 9 trials done, 0 running; best score 18"
contains "$out" "ended: all 9 trials are done"
expect 0 sweep best s1
contains "$out" "score=18 (trial 8, job s1-t00008-r0-a0)"
expect 0 sweep best s1 -o yaml
contains "$out" '- "9"'
"$KML" sweep best s1 -o yaml >best.yaml
expect 0 "$KML" submit -f best.yaml --wait
expect 0 "$KML" logs s1-best
contains "$out" "step=2 score=18"
expect 0 sweep list
contains "$out" "9/9"
expect 0 sweep logs s1 8
contains "$out" "step=2 score=18"
expect 0 sweep logs s1
[ "$(echo "$out" | grep -c "step=1")" = 9 ] || fail "$out"
expect 2 sweep logs s1 9
contains "$err" "it has trials 0 to 8"
expect 0 sweep export s1
[ "$(echo "$out" | wc -l)" = 10 ] || fail "$out"
contains "$out" "8,complete,18.0"
expect 0 sweep export s1 -o jsonl
[ "$(echo "$out" | python3 -c 'import json, sys; print(max(json.loads(line)["value"] for line in sys.stdin))')" = 18.0 ]
expect 0 sweep replay s1
contains "$out" "9 proposals, 0 differ"

# The metrics are in a file to which the command appends, even just before it exits. The exit code is that of the
# command.
cat >quiet.sh <<'T'
for step in 1 2; do echo "step=$step score=$(($1 * step))" >>metrics; done
exit $(($1 == 3))
T
expect 0 sweep run f1 --param x=1..3 --maximize score --algorithm grid --parallel 1 --metrics-file metrics -- sh quiet.sh '{x}'
contains "$out" "trial 0 complete  score=2  x=1"
contains "$out" "trial 1 complete  score=4  x=2"
contains "$out" "trial 2 failed  score=6  x=3  exit code 1"

# Run again, the sweep has nothing to do. With a larger budget, it continues. For another space, a new sweep is needed.
expect 2 sweep run s1 --param x=1..8 --maximize score --trials 9 --algorithm grid -- sh train.sh '{x}'
contains "$err" "these parts differ: spec.parameters"
expect 0 sweep run s1 --param x=1..9 --maximize score --trials 12 --parallel 3 --algorithm grid -- sh train.sh '{x}'
contains "$err" "all of the space has been tried"
contains "$err" "9 of 9 trials done"
expect 2 sweep status s2
contains "$err" 'did you mean "s1"?'
expect 2 sweep run s3 --param x=1..9 --maximize score -- sh train.sh
contains "$err" "a parameter has no effect"

# Tests failures, and a metric that was not reported.
expect 3 sweep run s4 --param x=1..9 --maximize score --trials 9 -- sh -c 'echo "scor={x} best score: 7"'
contains "$out" "it finished without score; it reported best_score, scor: did you mean best_score?"
expect 3 sweep run s5 --param x=1..9 --maximize score --trials 9 -- sh -c 'exit {x}'
contains "$err" "trials failed one after another: exit code"

# The engine can run as a job only on a cluster.
expect 2 sweep run s6 --param x=1..9 --maximize score --in-cluster --engine-image kml --journal-volume pvc/x -- sh train.sh '{x}'
contains "$err" "--in-cluster needs a cluster, but the target is this machine"
expect 2 sweep run s6 --param x=1..9 --maximize score --engine-image kml -- sh train.sh '{x}'
contains "$err" "need --in-cluster"

# A dry run rejects the same as a real run: here, the name of a different sweep.
expect 2 sweep run s1 --param x=1..8 --maximize score --trials 9 --algorithm grid --dry-run -- sh train.sh '{x}'
contains "$err" "these parts differ: spec.parameters"
expect 0 sweep run s1 --param x=1..9 --maximize score --trials 12 --algorithm grid --dry-run -- sh train.sh '{x}'

# Errors about missing flags use the words of sweeps, and ambiguous flags cause a note.
expect 2 sweep run s7 --param x=1..9 --maximize score
contains "$err" "kml sweep run NAME [flags] -- COMMAND"
expect 2 sweep run nosuch.yaml
contains "$err" "kml sweep run -f nosuch.yaml"
expect 0 sweep run s7 --param batch=0..1 --maximize score --dry-run -- sh train.sh '{batch}' '{bathc}'
contains "$err" "batch is 0 or 1, a whole number"
contains "$err" '{bathc} is not a parameter, so it is left unchanged; did you mean "batch"?'
