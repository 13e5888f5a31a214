. "$(dirname "$0")/lib.sh"
# If a watch breaks, the screen keeps its content and reports the problem. kml starts the server again and continues.
export KML_STATE_DIR=$work/kml
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name before --gpus 1 -- sleep 1000
script -qfec "stty cols 120 rows 20; exec '$KML' queue -w" screen >/dev/null </dev/null &
watcher=$!
eventually grep -q 'before.*Running' screen
kill -9 "$(cat "$KML_STATE_DIR/local/server.pid")"
eventually grep -q 'trying again' screen
expect 0 "$KML" submit --name after -- sleep 1000
eventually grep -q 'after' screen
[ "$(grep -o $'\x1B\[2J' screen | wc -l)" = 1 ] || fail "the screen was blank for a while: $(cat -v screen)"
kill $watcher
wait $watcher || true
