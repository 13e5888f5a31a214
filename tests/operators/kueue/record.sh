. "$(dirname "$0")/lib.sh"
# Records Kueue's answers in some states, for tests/recorded/kueue: record.sh FOLDER. This is not a test case.
folder=$1
moment() { # NAME KIND...
  k get "$2" -o json | python3 -c 'import json, re, sys
objects = json.load(sys.stdin)
for one in objects["items"]: one["metadata"].pop("managedFields", None)
json.dump(objects, open(sys.argv[1], "w"), separators=(",", ":"))' "$folder/$1.json"
}
all=localqueues,clusterqueues,workloads,jobs
queue lq 8
queue hold 8
k patch localqueue hold --type=merge -p '{"spec": {"stopPolicy": "Hold"}}' >/dev/null
queue stopped 8
cluster kubectl patch clusterqueue "$namespace-stopped" --type=merge -p '{"spec": {"stopPolicy": "Hold"}}' >/dev/null
queue others 8
cluster kubectl patch clusterqueue "$namespace-others" --type=merge -p '{"spec": {"namespaceSelector": {"matchLabels": {"team": "x"}}}}' >/dev/null
queue nowhere 8
k patch localqueue nowhere --type=merge -p '{"spec": {"clusterQueue": "none"}}' >/dev/null 2>&1 || true
submit() { "$KML" submit --no-check --name "$1" --queue "$2" --gpus "$3" --image localhost/busybox:1 --node-selector type=kwok \
  --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' "${@:4}" -- train >/dev/null; }
submit hold hold 1
submit stopped stopped 1
submit others others 1
submit nocpu lq 1 --cpu 1
submit runs lq 6
eventually is_admitted runs
submit waits lq 4
submit same lq 4
submit never lq 9
said() { k get workload "$(workload "$1")" -o 'jsonpath={.status.conditions[?(@.type=="QuotaReserved")].message}' | grep -q .; }
for job in hold stopped others nocpu waits never; do eventually said $job; done
moment waiting $all
"$KML" cancel never nocpu >/dev/null
k patch workload "$(workload runs)" --type=merge -p '{"spec": {"active": false}}' >/dev/null
eventually is_admitted waits
eventually has_no_pods runs
moment deactivated $all
