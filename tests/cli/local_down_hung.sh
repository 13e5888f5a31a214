# `kml local down --force` also stops a hanging server: it says so, kills the server, and a new server stops the jobs.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name job -- sh -c 'echo $$ >pid.new; mv pid.new pid; sleep 1000'
eventually test -e pid
server=$(cat "$XDG_STATE_HOME/kml/local/server.pid")
kill -STOP "$server"
expect 0 timeout 1000 "$KML" local down --force
contains "$err" "kills it in 10 seconds"
ended() { [ ! -e "/proc/$1" ] || grep -q '^State:.*[ZX]' "/proc/$1/status"; }
eventually ended "$server"
expect 0 "$KML" local status
contains "$out" "not"
expect 0 "$KML" list
[[ "$out" == *job*Suspended* ]] || fail "$out"
