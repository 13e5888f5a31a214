. "$(dirname "$0")/lib.sh"
# Tests the exit codes of `kml logs -f`: for jobs that succeed, fail or are killed, with --propagate-exit, after Ctrl-C,
# and when the reader closes the pipe.
expect 0 "$KML" submit --name good -- true
expect 0 "$KML" submit --name bad -- sh -c 'echo before; exit 42'
expect 0 "$KML" submit --name killed -- sh -c 'kill -9 $$'
expect 0 "$KML" logs -f good
expect 3 "$KML" logs -f bad
expect 3 "$KML" logs -f good bad
expect 42 "$KML" logs -f good bad --propagate-exit
expect 137 "$KML" logs -f killed --propagate-exit
expect 42 "$KML" logs -f bad killed --propagate-exit
expect 0 "$KML" logs -f good --propagate-exit
expect 2 "$KML" logs bad --propagate-exit

expect 0 "$KML" submit --name going -- sh -c 'echo started; exec sleep 1000'
"$KML" logs -f going good >log 2>notes &
follower=$!
eventually grep -q started log
kill -INT $follower
wait $follower && fail "no exit code" || [ $? = 130 ] || fail "exit code"
[ "$(grep -vc succeeded notes)" = 1 ] || fail "more than one line: $(cat notes)"

expect 0 "$KML" submit --name talker -- sh -c 'while echo line; do sleep 0.05; done'
{ "$KML" logs -f talker 2>notes || echo $? >code; } | head -1 >log
[ "$(cat log)" = line ] || fail "$(cat log)"
[ "$(cat code)" = 141 ] || fail "exit code $(cat code), not that of a broken pipe"
[ ! -s notes ] || fail "$(cat notes)"
