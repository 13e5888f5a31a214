. "$(dirname "$0")/lib.sh"
expect 0 "$KML" doctor
[[ "$out" != *"does not answer this"* ]] || fail "$out"
contains "$out" "volumes of local jobs"
# After a problem, the other checks continue.
export KUBECONFIG=$work/none
expect 1 "$KML" doctor
contains "$out" "none of the files in KUBECONFIG exists"
contains "$out" "state folder"
echo '[' >broken && KUBECONFIG=broken expect 1 "$KML" doctor
contains "$out" "kubeconfig"
: >empty
KUBECONFIG=empty expect 2 "$KML" list
contains "$err" "kubeconfig empty is empty"
contains "$err" "unset KUBECONFIG"
