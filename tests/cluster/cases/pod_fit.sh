. "$(dirname "$0")/lib.sh"
# kml's rules about nodes are tested with a table of pods. Checks that the real scheduler gives the results in
# this table.
table=$SOURCE/tests/data/pod_fit.yaml
# Deletes pods first, because the garbage collector is slow to delete pods of a missing node.
drop_table() {
  cluster kubectl delete --raw "/api/v1/namespaces/$namespace/pods?gracePeriodSeconds=0" >/dev/null
  cluster kubectl delete --raw "/api/v1/nodes?labelSelector=kml-pod-fit" >/dev/null
}
drop_table
trap 'status=$?; drop_table || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT

# Creates nodes first, so that the scheduler examines each pod at once.
part() { awk -v kind="kind: $1" 'BEGIN { RS = "---\n" } index($0, kind "\n") { print "---"; print }' "$table"; }
part Node | k create -f - >/dev/null
cluster kubectl wait --for=condition=Ready node -l kml-pod-fit --timeout=1000s >/dev/null
part Pod | k create -f - >/dev/null

# Prints for each pod its name, the expected reason, its node, and the scheduler's message.
row='{.metadata.name}{"|"}{.metadata.annotations.reason}{"|"}{.spec.nodeName}{"|"}{.status.conditions[?(@.type=="PodScheduled")].message}'
rows() { k get pods -o "jsonpath={range .items[*]}$row{\"\\n\"}{end}"; }
# Only the pod's own node has the label that the pod selects, so only that node can be short of resources.
# Labels and taints also keep the pod off the other nodes.
differs() { # NAME REASON NODE MESSAGE
  local amounts='Insufficient|Too many'
  case $2 in
    '') [ "$3" != "$1" ] ;;
    Insufficient* | Too*) [ -n "$3" ] || [[ $4 != *" 1 $2"[,.]* ]] ;;
    *) [ -n "$3" ] || [[ $4 != 0/* || $4 =~ $amounts ]] ;;
  esac
}
differences() {
  rows | while IFS='|' read -r name reason node message; do
    if differs "$name" "$reason" "$node" "$message"; then echo "$name: '$reason' but on '$node': $message"; fi
  done
}
agree() { differences >"$work/differences"; [ ! -s "$work/differences" ]; }
(eventually agree) || fail "the scheduler decides otherwise: $(cat "$work/differences")"
[ "$(rows | wc -l)" -eq "$(grep -c '^kind: Pod$' "$table")" ] || fail "not all pods are there: $(rows)"
