. "$(dirname "$0")/lib.sh"
# The embedded server is killed while a sweep runs: the sweep starts it again and loses nothing.
"$KML" sweep run s --param x=1..4 --maximize score --algorithm grid --parallel 2 -- \
  sh -c 'echo score={x}; until [ -e '"$work"'/go ]; do sleep 0.05; done' >log 2>&1 &
sweep=$!
running() { [ "$("$KML" list --no-headers | grep -c Running)" = 2 ]; }
eventually running
server=$(pgrep -f "kml daemon.*$work/state")
kill -9 $server
gone() { ! kill -0 $server; }
eventually gone
back() { grep -q "started it again" log; }  # only the sweep can start the server again
eventually back
touch go
wait $sweep || fail "$(cat log)"
contains "$(cat log)" "4 of 4 trials done"
contains "$(cat log)" "best: x=4"
