# The current usage of pods is measured on request, and their total usage is stored with them.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name busy -- python3 -c '
x = bytearray(64 << 20)
print("ready", flush=True)
while True: pass'
ready() { "$KML" logs busy | grep -q ready; }
eventually ready
expect 0 "$KML" local kubeconfig
echo "$out" >kubeconfig
export CONFIG=$work/kubeconfig
k() { KUBECONFIG=$CONFIG timeout 1000 kubectl "$@"; }

# Tests a server with the metrics API, which kubectl and kml use in the same way.
expect 0 k get --raw /apis/metrics.k8s.io/v1beta1/namespaces/default/pods
cat >check.py <<'END'
import json, sys
items = json.load(sys.stdin)["items"]
assert len(items) == 1 and items[0]["kind"] == "PodMetrics", items
usage = items[0]["containers"][0]["usage"]
assert int(usage["cpu"].removesuffix("n")) > 0, usage
assert 64 << 10 < int(usage["memory"].removesuffix("Ki")) < 200 << 10, usage
END
python3 check.py <<<"$out"
expect 0 k top pods --no-headers
contains "$out" busy
expect 0 k top pods -l job-name=other --no-headers
[ -z "$out" ] || fail "$out"
expect 0 k top nodes --no-headers
expect 0 k get --raw "/apis/metrics.k8s.io/v1beta1/nodes/${out%% *}"
contains "$out" NodeMetrics
expect 1 k get --raw /apis/metrics.k8s.io/v1beta1/namespaces/default/pods/none
expect 0 "$KML" top jobs --no-headers
[[ $out =~ busy\ .*\ [0-9]+Mi ]] || fail "$out"
expect 0 "$KML" status busy
[[ $out =~ Using\ +[0-9.e-]+\ CPUs,\ [0-9]+Mi\ of\ memory ]] || fail "$out"

# Two requests a second apart report the usage between them.
sleep 1.1
k get --raw /apis/metrics.k8s.io/v1beta1/pods >/dev/null
sleep 1.1
expect 0 k get --raw /apis/metrics.k8s.io/v1beta1/pods
python3 -c 'import json,sys; w = json.load(sys.stdin)["items"][0]["window"]; assert 1 <= float(w[:-1]) < 60, w' <<<"$out"

# After its end, the pod's record has the usage, and the metrics API no longer lists the pod.
expect 0 "$KML" cancel busy
gone() { [ -z "$(k get --raw /apis/metrics.k8s.io/v1beta1/pods | grep PodMetrics\" )" ]; }
eventually gone
used() { k get pods -l job-name=busy -o jsonpath='{.items[*].metadata.annotations.kml\.dev/usage}' | grep -q peakProcessBytes; }
eventually used
expect 0 k get pods -l job-name=busy -o jsonpath='{.items[0].status.containerStatuses[0]}'
[[ "$out" != *keeper* && "$out" != *\"used\"* ]] || fail "the shim's own words stand in the pod's status: $out"
