# A command right behind a kill -9 of the server finds a server: a new one, as the old one is just dying.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up
for i in $(seq 20); do
  kill -9 "$(cat "$XDG_STATE_HOME/kml/local/server.pid")"
  expect 0 "$KML" list
done
# One that ends by itself is waited for, too.
for i in $(seq 5); do
  kill "$(cat "$XDG_STATE_HOME/kml/local/server.pid")"
  expect 0 "$KML" list
done
