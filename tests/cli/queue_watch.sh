. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name first --gpus 1 -- sleep 1000
# A pipe gets each change once.
"$KML" queue -w >changes 2>/dev/null &
watcher=$!
eventually grep -q 'first .*Running' changes
expect 0 "$KML" submit --name second --gpus 1 -- sleep 1000
eventually grep -q '^1 .*second .*Waiting .*not enough GPUs free' changes
expect 0 "$KML" delete first
eventually grep -q '^- .*second .*Running' changes
[ "$(grep -c '^POS' changes)" = 1 ] || fail "$(cat changes)"
# A job that ends, or is cancelled or deleted, leaves the queue, which is a change, too.
eventually grep -q '^- .*first .*Cancelled .*deleted' changes
for end in succeeds:true:Succeeded fails:false:Failed; do
  IFS=: read -r name command state <<<"$end"
  expect 0 "$KML" submit --name $name -- sh -c "until [ -e seen-$name ]; do sleep .1; done; $command"
  eventually grep -q "$name .*Running" changes
  : >seen-$name
  eventually grep -q "^- .*$name .*$state" changes
done
"$KML" queue -w --state waiting -o json >waiting 2>/dev/null &
of_waiting=$!
expect 0 "$KML" submit --name stuck --node-selector no=where --no-check -- true
eventually grep -q '"stuck"' waiting
expect 0 "$KML" cancel stuck
ended() { grep '"stuck"' waiting | grep -q '"Cancelled"'; }
eventually ended
kill -INT $of_waiting
wait $of_waiting || true
kill -INT $watcher
got=0; wait $watcher || got=$?
[ $got = 130 ] || fail "exit $got after an interrupt"

# A terminal shows one screen; only changed parts are written again.
script -qfec "stty cols 100 rows 20; exec '$KML' queue -w" screen >/dev/null </dev/null &
watcher=$!
eventually grep -q 'second' screen
expect 0 "$KML" submit --name third --gpus 1 -- sleep 1000
eventually grep -q 'third' screen
[ "$(grep -o $'\x1B\[2J' screen | wc -l)" = 1 ] || fail "the whole screen was drawn again: $(cat -v screen)"
pkill -INT -P $watcher
wait $watcher || true
