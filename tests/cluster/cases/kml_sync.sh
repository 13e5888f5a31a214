. "$(dirname "$0")/lib.sh"
# `kml sync` to a real node: a first copy, changes, and the next pod of the rank, which starts without the files.
b=/bin/busybox
mkdir -p code/src
for i in $(seq 200); do echo "$i" >"code/src/file-$i"; done
echo 1 >code/train.py
expect 0 "$KML" submit --name j "${on_node1[@]}" --retries 3 -- \
  $b sh -c "b=$b"'; until [ -e /code/end ]; do $b sleep 0.2; done; exit 1'
eventually timeout 100 "$KML" exec j -- $b true
expect 0 timeout 1000 "$KML" sync --once code j:/code
contains "$err" "201 of 201 files sent"
expect 0 timeout 1000 "$KML" sync --once code j:/code
contains "$err" "0 of 201 files sent"
timeout 1000 "$KML" sync code j:/code 2>notes & sync=$!
eventually grep -q "0 of 201" notes
has() { [ "$(timeout 100 "$KML" exec j -- $b cat /code/train.py 2>/dev/null)" = "$1" ]; }
echo 2 >code/train.py
eventually has 2
timeout 1000 "$KML" exec j -- $b touch /code/end || true # the pod may end first
eventually grep -q "201 of 201" notes
has 2 || fail "the next pod has not got the change"
echo 3 >code/train.py
eventually has 3
kill -INT $sync
wait $sync && fail "a signal ended it without 130" || [ $? = 130 ] || fail "$(cat notes)"
