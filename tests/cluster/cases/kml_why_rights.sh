. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/why_lib.sh"
# kml why: a user who may read only half of the objects gets the other facts, and what is missing. Ten requests are
# enough.
expect 0 "$KML" submit --name large "${on_node1[@]}" --gpus 100 --no-check -- true
says large too-large
need_user ana
k create role half --verb=get,list --resource=jobs.batch,pods >/dev/null
k create rolebinding half --role=half --serviceaccount="$namespace:ana" >/dev/null
may ana list pods
expect 0 "$KML" --context ana why large
contains "$out" "job large: cannot start until you change something"
contains "$out" "enough GPUs"
[[ $out != *" free "* ]] || fail "$out"
contains "$out" "unknown   events: you may not read them"
contains "$out" "nodes: you may not read them"
contains "$out" "pods of all namespaces: you may not read them"
expect 0 "$KML" --context ana why large -o json
contains "$out" '"unknown"'
k delete rolebinding half >/dev/null
k create role jobs --verb=get,list --resource=jobs.batch >/dev/null
k create rolebinding jobs --role=jobs --serviceaccount="$namespace:ana" >/dev/null
blind() { "$KML" --context ana why large | grep -q 'pods: you may not read them'; }
eventually blind

# This case makes the most requests: a job that waits for resources of other jobs, after one of its pods was preempted.
# The server may still be writing the record of a request when its client has ended. Once a later request is recorded,
# all earlier ones are, too.
by_ana() {
  local mark=$RANDOM$RANDOM
  k --kubeconfig "$KUBECONFIG" --context ana get --raw "/version?mark=$mark" >/dev/null
  eventually grep -q "mark=$mark" "$cluster_state/audit.log"
  grep '"stage":"ResponseComplete"' "$cluster_state/audit.log" | grep -v mark= | grep -c "\"username\":\"system:serviceaccount:$namespace:ana\""
}
cluster kubectl create clusterrolebinding "$namespace" --clusterrole=cluster-admin --serviceaccount="$namespace:ana" >/dev/null
trap 'status=$?; cluster kubectl delete clusterrolebinding "$namespace" >/dev/null || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
expect 0 "$KML" submit --name holder "${on_node1[@]}" --gpus 3 --grace 1s -- /bin/busybox sleep 1000
runs holder
expect 0 "$KML" submit --name held "${on_node1[@]}" --gpus 2 -- true
says held resources-held
allowed() { "$KML" --context ana why held | grep -q 'held by'; }
eventually allowed
before=$(by_ana)
expect 0 "$KML" --context ana why held
sent=$(($(by_ana) - before))
echo "requests: $sent"
[ "$sent" -ge 5 ] && [ "$sent" -le 10 ] || fail "$sent requests"
