# `kml local up` rejects settings that differ from those of the running server, and says how to restart it.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up --fake-gpus 1 --cpu 4
expect 0 "$KML" local up
expect 0 "$KML" local up --fake-gpus 1 --cpu 4
expect 2 "$KML" local up --fake-gpus 2 --cpu 4
contains "$err" "with settings other than --fake-gpus 2"
contains "$err" "fix: kml local down, then kml local up --fake-gpus 2 --cpu 4 and"
expect 2 "$KML" local up --fake-gpus a100:1
expect 2 "$KML" local up --node-label rack=7
expect 2 "$KML" local up --log-limit 2Gi
expect 0 "$KML" local down
expect 0 "$KML" local up --fake-gpus 2
expect 0 "$KML" local down

# After a kill or `local down`, a command that starts the server again uses the settings of the previous
# server, whose pods may still run. After `local down --force`, no pods run, and the settings are the
# defaults.
gpus() { "$KML" list nodes -o jsonpath='{.items[0].status.capacity.nvidia\.com/gpu}'; }
expect 0 "$KML" local up --fake-gpus 8
kill -9 "$(cat "$XDG_STATE_HOME/kml/local/server.pid")"
[ "$(gpus)" = 8 ] || fail "after a kill: $(gpus)"
expect 0 "$KML" local down
[ "$(gpus)" = 8 ] || fail "after local down: $(gpus)"
expect 0 "$KML" local down
echo '{' >"$XDG_STATE_HOME/kml/local/options.json"
expect 1 "$KML" list
contains "$err" "options.json"
contains "$err" "fix: start the server with the flags that you want: kml local up"
expect 0 "$KML" local up --fake-gpus 8
expect 0 "$KML" local down --force
[ "$(gpus)" = "" ] || fail "after local down --force: $(gpus)"
expect 0 "$KML" local down
expect 2 "$KML" local up --cpu 0
contains "$err" "--cpu"
