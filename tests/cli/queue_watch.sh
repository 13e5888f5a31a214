. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name first --gpus 1 -- sleep 1000
# A pipe gets each change once.
"$KML" queue -w >changes 2>/dev/null &
watcher=$!
eventually grep -q 'first .*Running' changes
expect 0 "$KML" submit --name second --gpus 1 -- sleep 1000
eventually grep -q '^1 .*second .*Waiting .*not enough GPUs free' changes
expect 0 "$KML" delete first
eventually grep -q '^- .*second .*Running' changes
[ "$(grep -c '^POS' changes)" = 1 ] || fail "$(cat changes)"
kill -INT $watcher
got=0; wait $watcher || got=$?
[ $got = 130 ] || fail "exit $got after an interrupt"

# A terminal shows one screen; only changed parts are written again.
script -qfec "stty cols 100 rows 20; exec '$KML' queue -w" screen >/dev/null </dev/null &
watcher=$!
eventually grep -q 'second' screen
expect 0 "$KML" submit --name third --gpus 1 -- sleep 1000
eventually grep -q 'third' screen
[ "$(grep -o $'\x1B\[2J' screen | wc -l)" = 1 ] || fail "the whole screen was drawn again: $(cat -v screen)"
pkill -INT -P $watcher
wait $watcher || true
