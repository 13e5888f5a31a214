. "$(dirname "$0")/lib.sh"
# The server's own log does not grow forever: at 4 MiB it is emptied.
export KML_STATE_DIR=$work/state
log=$KML_STATE_DIR/local/server.log
mkdir -p "$KML_STATE_DIR/local" && chmod 700 "$KML_STATE_DIR/local"
head -c 1000000 /dev/zero >"$log"
"$KML" local up >/dev/null 2>&1
[ "$(stat -c %s "$log")" -ge 1000000 ] || fail "a small log was cut"
"$KML" local down >/dev/null 2>&1
head -c 5000000 /dev/zero >"$log"
"$KML" local up >/dev/null 2>&1
eventually grep -q "was larger than 4 MiB" "$log"
[ "$(stat -c %s "$log")" -lt 10000 ] || fail "a log of $(stat -c %s "$log") bytes"
"$KML" local down >/dev/null 2>&1

# A file of the user, to which a server in the foreground writes its messages, is left alone.
head -c 5000000 /dev/zero >own
"$KML" local serve >/dev/null 2>>own &
server=$!
answers() { [ "$("$KML" local status | head -n 1)" = running ]; }
eventually answers
kill $server
wait $server || true
[ "$(stat -c %s own)" -ge 5000000 ] || fail "the user's file was cut to $(stat -c %s own) bytes"
