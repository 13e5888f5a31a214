# If a cluster lacks a kind, the error names the missing operator and the templates that the cluster can run.
. "$(dirname "$0")/lib.sh"
"$KML" local kubeconfig | sed 's/name: local$/name: prod/; s/\(cluster\|context\|current-context\): local$/\1: prod/' >cluster
export KUBECONFIG=$work/cluster
for how in "" --test-only --dry-run=server; do
  # shellcheck disable=SC2086
  expect 1 "$KML" --context prod submit $how -t mpijob --image i:1 -- true
  contains "$err" "the cluster cannot run MPIJobs"
  contains "$err" "the Kubeflow MPI operator is not installed"
  contains "$err" "a template that this cluster can run: job, job-indexed, pytorchjob, pytorchjob-elastic; or"
  [ -z "$out" ] || fail "$out"
done
expect 1 "$KML" --context prod -n nowhere submit --image i:1 -- true
contains "$err" 'namespaces "nowhere" not found'
