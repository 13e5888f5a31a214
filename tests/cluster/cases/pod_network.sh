. "$(dirname "$0")/lib.sh"
# Pods keep their connections while other pods are created and deleted: the bridge has its own address.
# Otherwise, it would use the address of a pod's interface, which is deleted with the pod.
k run one --image localhost/busybox:1 --restart Never --overrides '{"spec": {"nodeName": "node1"}}' -- /bin/busybox sleep 10000 >/dev/null
expect 0 k wait --for=jsonpath='{.status.phase}'=Running pod/one --timeout=1000s
shared=$(cluster exec ip -br link | awk '{print $3}' | sort | uniq -d)
[ -z "$shared" ] || fail "the bridge has a cable's address: $(cluster exec ip -br link)"
