. "$(dirname "$0")/lib.sh"
# Uses the state folder of kml at commit 5cde61d (tests/recorded/kml): the store, the pods' folders, the run records,
# the copy of a log, and the journals of sweeps.
state=$XDG_STATE_HOME/kml
mkdir -p "$state/sweeps"
cp -r "$SOURCE/tests/recorded/kml/state/." "$state/"
for journal in "$SOURCE"/tests/recorded/kml/journals/*.jsonl; do
  mkdir "$state/sweeps/$(basename "$journal" .jsonl)"
  cp "$journal" "$state/sweeps/$(basename "$journal" .jsonl)/journal.jsonl"
done
chmod -R go= "$state"

expect 0 timeout 1000 "$KML" list
contains "$out" "good"
contains "$out" "Succeeded"
contains "$out" "Failed"
expect 0 timeout 1000 "$KML" logs good
[ "$out" = "one
two" ] || fail "$out"
expect 0 timeout 1000 "$KML" why bad
contains "$out" "exit code 4"
expect 0 timeout 1000 "$KML" history
contains "$out" "gone"
expect 0 timeout 1000 "$KML" logs good --keep
[ "$(wc -l <"$(echo "$state"/logs/default/good.*/*/main.0.log)")" = 2 ] || fail "the copy was not taken for the same one"
for sweep in again faults indexed promote stop; do
  expect 0 timeout 1000 "$KML" sweep status $sweep
  expect 0 timeout 1000 "$KML" sweep export $sweep
done
expect 0 timeout 1000 "$KML" sweep replay stop
contains "$out" "12 proposals, 0 differ"
expect 0 timeout 1000 "$KML" local check
