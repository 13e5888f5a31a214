# Sourced after lib.sh by the cases of preemption: MIG slices on node1 that only this case has, its own preempting
# priority class, and a folder on the node for checkpoints.
slices() { cluster kubectl patch node node1 --subresource=status --type=merge \
  -p "{\"status\": {\"capacity\": {\"nvidia.com/$slice\": $1}}}" >/dev/null; }
allocatable() { [ "$(k get node node1 -o "go-template={{index .status.allocatable \"nvidia.com/$slice\"}}")" = "$1" ]; }
need_slices() { # SLICE COUNT
  slice=$1 ck=$cluster_state/$namespace
  trap 'status=$?; slices null || true; rm -rf "$ck"
    cluster kubectl delete --wait=false priorityclass/"$namespace" namespace/"$namespace" --ignore-not-found >/dev/null || true; finish $status' EXIT
  cluster kubectl delete priorityclass "$namespace" --ignore-not-found >/dev/null
  cluster kubectl create priorityclass "$namespace" --value 1000 >/dev/null
  rm -rf "$ck"; mkdir -p "$ck"
  slices "\"$2\""
  eventually allocatable "$2"
}
# Submits a job that preempts another job to get that job's slice.
preempt() { expect 0 "$KML" submit --name "$1" --gpus $slice:1 --priority "$namespace" "${on_node1[@]}" --grace 1s -- /bin/busybox sleep 1000; }
