. "$(dirname "$0")/lib.sh"
# Before it sends a job, submit asks a real API server whether the objects in the job exist and whether a node is
# large enough.
drop_node() { cluster kubectl delete node "$namespace" --ignore-not-found >/dev/null; }
drop_node
trap 'status=$?; drop_node || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
made() { expect 0 k get jobs -o name; [ "$out" = "$1" ] || fail "made: $out"; }
k create secret generic hf-token --from-literal=key=value >/dev/null
expect 1 "$KML" submit "${on_node1[@]}" --env-from hf-tokn --priority system-node-critica --service-account robot \
  --pull-secret registry --mount pvc/data:/data -- true
contains "$err" "secret \"hf-tokn\" does not exist in namespace $namespace"
contains "$err" 'existing ones: hf-token; did you mean "hf-token"?'
contains "$err" 'priorityclass "system-node-critica" does not exist'
contains "$err" "serviceaccount \"robot\" does not exist in namespace $namespace: the pods could not start; existing ones: default"
contains "$err" 'secret "registry" does not exist'
contains "$err" 'persistentvolumeclaim "data" does not exist'
expect 1 "$KML" submit "${on_node1[@]}" --name huge --gpus 1000 -- true
contains "$err" "job huge cannot run"
contains "$err" "asks for 1000 GPUs"
made ""
expect 0 "$KML" submit "${on_node1[@]}" --name named --env-from hf-token --service-account default --priority system-node-critical --gpus 1 \
  --set spec.suspend=true -- true

# A user without permission to read the objects can still submit, whether or not the objects exist.
need_user poor
k create role submits --verb=create --resource=jobs.batch >/dev/null
k create rolebinding submits --role=submits --serviceaccount="$namespace:poor" >/dev/null
allowed() { "$KML" --context poor submit "${on_node1[@]}" --name blind --env-from nothing --gpus 1000 --set spec.suspend=true -- true; }
eventually allowed

# Creates a node of a cloud's node pool, to which more nodes, of this or another size, may be added.
cluster kubectl create -f - >/dev/null <<N
apiVersion: v1
kind: Node
metadata: {name: $namespace, annotations: {kwok.x-k8s.io/node: fake}, labels: {type: kwok}}
spec: {providerID: "aws:///eu-central-1a/i-1"}
N
expect 0 "$KML" submit "${on_node1[@]}" --name grows --gpus 1000 --set spec.suspend=true -- true
contains "$err" "job grows may never start: "
