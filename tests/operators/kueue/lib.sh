# Sourced by each case: the helpers of tests/cluster/cases, and a queue in the real Kueue, with simulated nodes.
. "$(dirname "$0")/../../cluster/cases/lib.sh"
patience=300
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  cluster kubectl delete clusterqueues,resourceflavors,workloadpriorityclasses -l "case=$namespace" --wait=false >/dev/null || true; finish $status' EXIT

# queue NAME GPUS [MORE [FLAVOR]]: creates a LocalQueue, and a ClusterQueue NAMESPACE-NAME with a quota of
# GPUS. MORE: further fields of the ClusterQueue's spec; FLAVOR: further fields of its flavor's spec.
queue() {
  cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: $namespace, labels: {case: $namespace}}
spec:
  nodeLabels: {type: kwok}
${4:+  $4}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: $namespace-$1, labels: {case: $namespace}}
spec:
  namespaceSelector: {}
  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: $namespace, resources: [{name: nvidia.com/gpu, nominalQuota: $2}]}]}]
${3:+  $3}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: $1, namespace: $namespace}
spec: {clusterQueue: $namespace-$1}
C
  k wait --for=condition=Active "localqueue/$1" --timeout=1000s >/dev/null
}
# job NAME GPUS [FLAG...]: creates a job in queue lq that runs for an hour once it is admitted.
job() {
  local field sets=() fields=(spec.template)
  case " $* " in
    *' pytorchjob '*) fields=(spec.pytorchReplicaSpecs.{Master,Worker}.template) ;;
    *' jobset '*) fields=('spec.replicatedJobs[0].template.spec.template') ;;
  esac
  for field in "${fields[@]}"; do sets+=(--set "$field.metadata.annotations.kwok/run-for=1h"); done
  "$KML" submit --name "$1" --queue lq --gpus "$2" --image localhost/busybox:1 --node-selector type=kwok "${sets[@]}" "${@:3}" -- train >/dev/null
}
# Kueue's Workload of a job.
workload() { k get workloads -o json | python3 -c 'import json, sys
for one in json.load(sys.stdin)["items"]:
    if one["metadata"].get("ownerReferences", [{}])[0].get("name") == sys.argv[1]: print(one["metadata"]["name"])' "$1"; }
is_admitted() { [ "$(k get workload "$(workload "$1")" -o 'jsonpath={.status.conditions[?(@.type=="Admitted")].status}')" = True ]; }
# Kueue 0.19 reports nothing about a job with the same requests as an earlier one.
is_pending() { [ -n "$(workload "$1")" ] && ! is_admitted "$1"; }
is_active() { [ "$(k get workload "$(workload "$1")" -o 'jsonpath={.spec.active}')" != false ]; }
# A job's pods that have not ended, whatever its kind: their names start with the job's name.
pods() { k get pods --field-selector status.phase!=Failed,status.phase!=Succeeded -o name | grep "^pod/$1-" || true; }
has_no_pods() { [ -z "$(pods "$1")" ]; }
runs() { [ -n "$(pods "$1")" ] && [ -z "$(k get pods -o wide --field-selector status.phase=Pending -o name | grep "^pod/$1-")" ]; }
