# A command right after a kill -9 of the server starts a new server, even while the old server has not ended
# yet.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up
for i in $(seq 20); do
  kill -9 "$(cat "$XDG_STATE_HOME/kml/local/server.pid")"
  expect 0 "$KML" list
done
# A command also waits for a server that is still stopping after SIGTERM.
for i in $(seq 5); do
  kill "$(cat "$XDG_STATE_HOME/kml/local/server.pid")"
  expect 0 "$KML" list
done
