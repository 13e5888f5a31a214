. "$(dirname "$0")/lib.sh"
# The positions in `kml queue` are Kueue's, for 60 Workloads of three priorities. Many of the Workloads have the same
# time. This is tested with Kueue's visibility API, and for a user who may not use that API.
queue lq 1
for class in low high; do
  cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: $class-$namespace, labels: {case: $namespace}}
value: $([ $class = low ] && echo 10 || echo 1000)
C
done
job holder 1
eventually runs holder
python3 - "$namespace" >jobs.json <<'P'
import json, random, sys
random.seed(60)
def job(number):
    labels = {"kueue.x-k8s.io/queue-name": "lq"}
    if number % 3: labels["kueue.x-k8s.io/priority-class"] = ("low", "high")[number % 3 - 1] + "-" + sys.argv[1]
    container = {"name": "main", "image": "localhost/busybox:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"w{random.randrange(10**6):06}", "labels": labels},
            "spec": {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "nodeSelector": {"type": "kwok"}, "containers": [container]}}}}
json.dump({"apiVersion": "v1", "kind": "List", "items": [job(number) for number in range(60)]}, sys.stdout)
P
k create -f jobs.json >/dev/null
visible() { k get --raw "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/$namespace/localqueues/lq/pendingworkloads"; }
all_wait() { [ "$(visible | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["items"]))')" = 60 ]; }
eventually all_wait
truth() { visible | python3 -c 'import json, sys
for one in sorted(json.load(sys.stdin)["items"], key=lambda one: one["positionInLocalQueue"]): print(one["metadata"]["name"])' |
  sed 's/^job-//; s/-[0-9a-f]*$//'; }
told() { "$KML" "$@" queue --no-headers 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $2 }'; }
same() { [ "$(paste <(truth) <(told "$@") | awk '$1 == $2' | wc -l)" = 60 ]; }
eventually same
echo "with the visibility API: 60 of 60"
need_user ana
k create rolebinding ana --clusterrole edit --serviceaccount "$namespace:ana" >/dev/null
k create rolebinding ana-sees --clusterrole workload-viewer-role --serviceaccount "$namespace:ana" >/dev/null
k create rolebinding ana-queues --clusterrole localqueue-viewer-role --serviceaccount "$namespace:ana" >/dev/null
may ana list workloads.kueue.x-k8s.io
expect 1 k --kubeconfig "$KUBECONFIG" --context ana get --raw "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/$namespace/localqueues/lq/pendingworkloads"
same --context ana || { paste <(truth) <(told --context ana) >&2; fail "without the visibility API"; }
echo "without it: 60 of 60"

# Kueue admits the jobs in this order.
next() { truth | head -1; }
for _ in 1 2 3; do
  first=$(next)
  [ "$(told | head -1)" = "$first" ] || fail "told $(told | head -1), not $first"
  expect 0 "$KML" cancel "$(k get jobs -o json | python3 -c 'import json, sys
print([one["metadata"]["name"] for one in json.load(sys.stdin)["items"] if not one["spec"].get("suspend")][0])')"
  eventually is_admitted "$first"
done
