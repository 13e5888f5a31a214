# A cancelled job is not preempted while its pods are still stopping, because their room becomes free anyway.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 4 >/dev/null 2>&1
"$KML" local kubeconfig >kubeconfig
KUBECONFIG="$work/kubeconfig" kubectl create priorityclass low --value=-10 >/dev/null
stays='trap "touch asked" TERM; touch up; until [ -e go ]; do sleep 0.05; done; exit 1'
expect 0 "$KML" submit --name ending --gpus 4 --priority low --grace 300s -- sh -c "$stays"
eventually test -e up
expect 0 "$KML" cancel ending
eventually test -e asked
expect 0 "$KML" submit --name next --gpus 1 -- true
waits() { "$KML" why next | grep -q "^  cause *resources-held$"; }
eventually waits
touch go
expect 0 "$KML" wait next --timeout 1000s
expect 3 "$KML" wait ending
contains "$err" "was cancelled"
expect 0 "$KML" status ending
[[ $out != *reempted* ]] || fail "$out"
expect 0 "$KML" history
[[ $out != *reempted* ]] || fail "$out"
expect 0 "$KML" eff ending
[[ $out != *lost* ]] || fail "$out"
