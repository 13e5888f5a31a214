. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name holder --gpus 1 -- sh -c 'while ! test -e go; do sleep 0.05; done'
expect 0 "$KML" submit --name pending --gpus 1 -- echo mine at last
"$KML" logs -f pending >log 2>notes &
follower=$!
waits() { grep -q 'pending waits: .*GPUs' notes; }
eventually waits
touch go
wait $follower || fail "$(cat notes)"
[ "$(cat log)" = "mine at last" ] || fail "$(cat log)"
