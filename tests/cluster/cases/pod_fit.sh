. "$(dirname "$0")/lib.sh"
# The table that kml's rules of what fits a node are held to is what the real scheduler does.
table=$SOURCE/tests/data/pod_fit.yaml
# Pods first: those of a node that is gone are left to the garbage collector, which takes its time.
drop_table() {
  cluster kubectl delete --raw "/api/v1/namespaces/$namespace/pods?gracePeriodSeconds=0" >/dev/null
  cluster kubectl delete --raw "/api/v1/nodes?labelSelector=kml-pod-fit" >/dev/null
}
drop_table
trap 'status=$?; drop_table || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT

# Nodes first: a pod is then looked at once.
part() { awk -v kind="kind: $1" 'BEGIN { RS = "---\n" } index($0, kind "\n") { print "---"; print }' "$table"; }
part Node | k create -f - >/dev/null
cluster kubectl wait --for=condition=Ready node -l kml-pod-fit --timeout=60s >/dev/null
part Pod | k create -f - >/dev/null

# Of each pod: its name, the reason expected, its node, what the scheduler says.
row='{.metadata.name}{"|"}{.metadata.annotations.reason}{"|"}{.spec.nodeName}{"|"}{.status.conditions[?(@.type=="PodScheduled")].message}'
rows() { k get pods -o "jsonpath={range .items[*]}$row{\"\\n\"}{end}"; }
# Only its own node has the label that a pod selects, so that amounts are short on that one alone; labels and taints keep
# it off the others too.
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
