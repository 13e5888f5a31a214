# Scripts of tests/bench, tests/soak and tests/operators that need a cluster say what is missing if there is none, and exit
# with 2. None of them waits.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$work
while IFS='|' read -r variables words text; do
  expect 2 env -u KML_CLUSTER -u KUBECONFIG ${variables:+"$variables"} timeout 300 bash -c "cd '$SOURCE' && exec $words"
  contains "$err" "$text"
done <<'ROWS'
|tests/soak/first_error real|no cluster "test" is up, and KML_CLUSTER names no other one
KML_CLUSTER=absent|tests/soak/first_error real|no cluster "absent" is up
KML_CLUSTER=absent|tests/soak/sweep real|no cluster "absent" is up
KML_CLUSTER=absent|tests/soak/logs real|no cluster "absent" is up
KUBECONFIG=absent|tests/soak/streams real|is up
|tests/soak/streams real|KUBECONFIG is not set
KML_CLUSTER=absent|tests/bench/logs_follow|no cluster "absent" is up
KML_CLUSTER=absent|tests/operators/run mpi|no cluster 'absent' is up
|bash tests/operators/mpi/waits.sh|KML_CLUSTER names no cluster
|bash tests/cluster/cases/kml_run.sh|KML_CLUSTER names no cluster
ROWS

# A cluster without the real node.
mkdir -p kml-cluster/bare
touch kml-cluster/bare/kubeconfig
printf '#!/bin/sh\necho node/gpu-1\n' >kml-cluster/bare/kubectl
chmod +x kml-cluster/bare/kubectl
for script in 'soak/first_error real' 'soak/sweep real' 'soak/logs real' bench/logs_follow; do
  expect 2 env KML_CLUSTER=bare timeout 300 "$SOURCE"/tests/$script
  contains "$err" "the cluster has no real node"
done
