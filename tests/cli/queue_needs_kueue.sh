. "$(dirname "$0")/lib.sh"
"$KML" local kubeconfig | sed 's/name: local$/name: prod/; s/\(cluster\|context\|current-context\): local$/\1: prod/' >cluster
export KUBECONFIG=$work/cluster
expect 2 "$KML" --context prod submit --queue gpus --image i:1 -- true
contains "$err" "the cluster has no Kueue"
expect 0 "$KML" --context prod list -o name
[ -z "$out" ] || fail "$out"
