. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name first --gpus 1 -- sleep 1000
running() { "$KML" queue | grep -q 'first .*Running'; }
eventually running
expect 0 "$KML" submit --name second --gpus 1 -- true
expect 0 "$KML" submit --name third --gpus 1 -- true
expect 0 "$KML" queue --no-headers
order=$(awk '{print $1, $2}' <<<"$out" | tr '\n' ' ')
[ "$order" = "- first 1 second 2 third " ] || fail "$out"
contains "$out" "not enough GPUs free"
expect 0 "$KML" queue -o json
python3 -c 'import json,sys; assert [e["position"] for e in json.load(sys.stdin)] == [0, 1, 2]' <<<"$out"
expect 0 "$KML" delete --all --yes
contains "$out" "job third deleted"
