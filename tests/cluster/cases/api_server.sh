. "$(dirname "$0")/lib.sh"
expect 0 k version -o json
contains "$out" "\"gitVersion\": \"v$(cat "$cluster_state/kubernetes")."
expect 0 k get --raw /readyz
expect 0 k wait --for=condition=Ready node --all --timeout=1000s
contains "$out" node/node1
contains "$out" node/gpu-1
# Each request is in the audit log, which other tests use to count a client's requests.
k create configmap counted >/dev/null
counted() { grep '"verb":"create"' "$cluster_state/audit.log" | grep '"resource":"configmaps"' | grep "\"namespace\":\"$namespace\"" | grep -c '"name":"counted"'; }
eventually counted
[ "$(counted)" = 1 ] || fail "$(counted) records of one request"
