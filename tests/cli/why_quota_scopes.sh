# A quota with scopes counts only some pods. kml why names only jobs with such pods, and suggests cancelling
# only those.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
"$KML" local kubeconfig >kubeconfig
k() { KUBECONFIG="$work/kubeconfig" kubectl "$@" >/dev/null; }
k create priorityclass high --value=10
k create -f - <<'Y'
apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec:
  hard: {pods: "1"}
  scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}
Y
expect 0 "$KML" submit --name aside --grace 1s -- sleep 1000
expect 0 "$KML" submit --name ended --priority high --wait -- true
expect 0 "$KML" submit --name counted --priority high --grace 1s -- sleep 1000
expect 0 "$KML" wait --for running aside counted
expect 0 "$KML" submit --name blocked --priority high -- true
is_full() { "$KML" why blocked | grep -q "^  cause *quota$"; }
eventually is_full
expect 0 "$KML" why blocked
[[ $out =~ held\ by\ +counted ]] || fail "$out"
[[ $out != *aside* && $out != *ended* ]] || fail "$out"
contains "$out" "kml cancel counted"
expect 0 "$KML" cancel counted
expect 0 "$KML" wait blocked --timeout 1000s

# If a quota requires several fields, kml prints one message and one command for all of them.
k delete resourcequota few
k create quota strict --hard=limits.memory=1Gi,requests.cpu=1,requests.memory=1Gi
expect 1 "$KML" submit --name unset --test-only -- true
contains "$err" "requires every pod to set limits.memory, requests.cpu and requests.memory"
contains "$err" "kml submit --cpu N --memory SIZE …"
expect 0 "$KML" submit --name unset --no-check -- true
is_strict() { "$KML" why unset | grep -q "^  cause *quota-wants-limits$"; }
eventually is_strict
expect 0 "$KML" why unset
contains "$out" "requires every pod to set limits.memory, requests.cpu and requests.memory"
