# If the user has ended the embedded server, a command that only watches does not start it. The command says
# that the server is down, and continues once the server is back. Other commands start the server. If the
# server died by itself, a watching command starts it, too.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/kml
is_up() { "$KML" local status -o 'jsonpath={.running}' | grep -qx true; }
kml_down() { expect 0 "$KML" local down; }
expect 0 "$KML" submit --name before -- sleep 1000

# watches OUTPUT WORDS...: starts a watching command, whose screen or output goes to the file OUTPUT.
watches() {
  local output=$1
  shift
  "$@" >"$output" 2>&1 </dev/null &
  watcher=$!
  eventually grep -q "before.*Running" "$output"
}
# stays_down OUTPUT: the server is ended while the command watches, and comes back.
stays_down() {
  kml_down
  eventually grep -q "the embedded server is down; .kml local up. starts it" "$1"
  ! is_up || fail "$1: the server was started again"
  kill -0 $watcher || fail "$1: the command has ended: $(cat "$1")"
  expect 0 "$KML" local up
  expect 0 "$KML" submit --name "after-$1" -- sleep 1000
  eventually grep -q "after-$1" "$1"
  kill $watcher
  wait $watcher || true
}
watches list "$KML" list -w
stays_down list
watches queue "$KML" queue -w
stays_down queue
watches status "$KML" status -w before
kml_down
eventually grep -q "the embedded server is down" status
! is_up || fail "status -w has started the server"
expect 0 "$KML" local up
expect 0 "$KML" cancel before
eventually grep -q Cancelled status
wait $watcher || fail "status -w: $(cat status)"
expect 0 "$KML" submit --name before --replace -- sleep 1000
watches screen script -qfec "stty cols 200 rows 20; exec '$KML' queue -w" /dev/null
stays_down screen
watches feed "$KML" ui -o json
stays_down feed

# When `kml ui` starts, it does not start the server either.
kml_down
"$KML" ui -o json >feed 2>&1 &
watcher=$!
eventually grep -q "the embedded server is down" feed
! is_up || fail "kml ui has started the server"
expect 0 "$KML" list # a command that needs an answer starts it
is_up || fail "kml list has not started the server"
eventually grep -q '"after-feed"' feed
# If the server dies, the watching command starts it.
kill -9 "$(cat "$KML_STATE_DIR/local/server.pid")"
eventually is_up
kill $watcher
wait $watcher || true
