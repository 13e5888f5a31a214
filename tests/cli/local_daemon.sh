. "$(dirname "$0")/lib.sh"
state=$XDG_STATE_HOME/kml/local
pid() { cat "$state/server.pid"; }

# Many commands that need a server at the same time share a single one.
for i in 1 2 3 4 5 6 7 8; do "$KML" local up >"up.$i" 2>&1 & done
wait
[ "$(cat up.* | grep -o 'process [0-9]*' | sort -u | wc -l)" = 1 ] || fail "not one server: $(cat up.*)"

# A killed server is detected, and clients can use the next server with the same kubeconfig file.
cp "$state/kubeconfig" before
kill -9 "$(pid)"
not_running() { "$KML" local status | grep -q "not running"; }
eventually not_running
expect 0 "$KML" local up
cmp before "$state/kubeconfig" || fail "the kubeconfig has changed"
expect 0 kubectl --kubeconfig before get namespaces

# An idle server does not run at all.
switches() { grep ctxt_switches "/proc/$(pid)/status"; }
still() { local before; before=$(switches); sleep 1; [ "$before" = "$(switches)" ]; }
eventually still
# (Sanitizers need additional memory.)
grep -q -e __asan_init -e __tsan_init "$KML" ||
  [ "$(awk '/VmRSS/ {print $2}' "/proc/$(pid)/status")" -lt $((30 * 1024)) ] || fail "more than 30 MB at rest"

# State written by another version of kml is left alone.
expect 0 "$KML" local down
[ ! -e "$state/server.pid" ] || fail "still there"
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = 99")' "$state/store.db"
expect 1 "$KML" local up
contains "$err" "its format is 99"
