. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null
"$KML" list -w >seen 2>/dev/null &
watcher=$!
expect 0 "$KML" submit --name seen-job --wait -- true
finished() { grep -q 'seen-job .*Succeeded' seen; }
eventually finished
kill -INT $watcher
got=0
wait $watcher || got=$?
[ $got = 130 ] || fail "exit $got after an interrupt"
