. "$(dirname "$0")/lib.sh"
# --replace stops the existing job only if the server would accept the new one.
expect 0 "$KML" submit --name holds -- sleep 1000
running() { "$KML" list | grep holds | grep -q Running; }
eventually running
expect 0 "$KML" local kubeconfig
echo "$out" >kubeconfig
uid() { KUBECONFIG=$work/kubeconfig kubectl get job holds -o 'jsonpath={.metadata.uid}'; }
before=$(uid)
expect 1 "$KML" submit --name holds --replace --set spec.backoffLimit=-1 -- true
contains "$err" backoffLimit
[ "$(uid)" = "$before" ] || fail "the job that ran is gone"
running || fail "the job does not run any more"
expect 0 "$KML" submit --name holds --replace --wait -- true
[ "$(uid)" != "$before" ] || fail "it was not replaced"
