# sweep run --replace deletes the sweep with that name after the new one was checked. A running sweep is not replaced.
. "$(dirname "$0")/lib.sh"
journal=$XDG_STATE_HOME/kml/sweeps/s1/journal.jsonl
first() { "$KML" sweep run s1 --param x=1..2 --maximize score --algorithm grid "$@" -- sh -c 'echo score={x}'; }
second() { "$KML" sweep run s1 --param y=5..7 --maximize score --algorithm grid "$@" -- sh -c 'echo score={y}'; }
expect 0 first
before=$(cat "$journal")
expect 2 second
contains "$err" "the name s1 is in use by another sweep"
contains "$err" "--replace, or \`kml sweep delete s1\`"

# If the new sweep is invalid, the old one stays complete.
expect 2 "$KML" sweep run s1 --replace --trials 5
contains "$err" "--replace needs a new sweep"
expect 2 "$KML" sweep run s1 --replace --param y=5..7 --maximize score -- sh -c 'echo score={z}'
expect 2 second --replace --fork
expect 1 second --replace --gpus 1000
expect 0 second --replace --dry-run
[ "$(cat "$journal")" = "$before" ] || fail "the journal is another one: $(cat "$journal")"
[ "$("$KML" list -o name | grep -c s1-)" = 2 ] || fail "$("$KML" list)"

expect 0 second --replace
contains "$err" "the old sweep s1 was deleted"
contains "$err" "s1: 3 of 3 trials done"
[ "$("$KML" list -o name | grep -c s1-)" = 3 ] || fail "$("$KML" list)"

# Replaces a broken sweep, and a sweep that does not exist.
echo broken >>"$journal"
echo broken >>"$journal"
expect 1 second
contains "$err" "--replace puts a new one in its place"
expect 0 second --replace
contains "$err" "s1: 3 of 3 trials done"
expect 0 "$KML" sweep run s2 --replace --param x=1..2 --maximize score -- sh -c 'echo score={x}'

# The user must stop a running sweep first; its trials may take a moment to stop.
"$KML" sweep run s3 --param x=1..2 --maximize score -- sh -c 'trap "sleep 1; exit 1" TERM; sleep 1000 & wait; echo score={x}' >out3 2>&1 &
engine=$!
running() { "$KML" sweep status s3 | grep -q "2 running"; }
eventually running
third() { "$KML" sweep run s3 --replace --param x=1..2 --maximize score -- sh -c 'echo score={x}'; }
expect 1 third
contains "$err" "kml sweep stop s3"
running || fail "$("$KML" sweep status s3)"
expect 0 "$KML" sweep stop s3
expect 0 third
contains "$err" "s3: 2 of 2 trials done"
wait $engine || true
