. "$(dirname "$0")/../lib.sh"
# Tests list and logs for two ranks on two workers, while they run and after the end, and then history.
load_once mpi "$SOURCE/tests/operators/mpi/image" "$SOURCE/tests/operators/mpi/image"
kinds=pods,jobs,mpijobs
mpi=(-t mpijob --nodes 2 --image localhost/mpi:1 --node-selector kubernetes.io/hostname=node1)
of=training.kubeflow.org/job-name
# The ranks run until the file exists: the host's folder is shared by both pods.
mkdir -m 777 "$cluster_state/$namespace"
trap 'status=$?; rm -rf "$cluster_state/$namespace"; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
wait_for='until [ -f /go/go ]; do sleep 0.2; done'
check_runs "submit" 0 "$KML" submit --name two "${mpi[@]}" --gpus 1 --mount "host$cluster_state/$namespace:/go" -- \
  mpirun --tag-output sh -c "echo line of rank \$OMPI_COMM_WORLD_RANK; $wait_for"
eventually are $of=two "3 Running"
lines() { say logs two "$@" -o raw | grep -o 'line of rank .' | sort | xargs; }
both_wrote() { [ "$(lines)" = "line of rank 0 line of rank 1" ]; }
eventually both_wrote
check "list" "Running 3/3 2" "$(listed two)"
check "logs --rank 0, while it runs" "line of rank 0" "$(lines --rank 0)"
check "logs --rank 1, while it runs" "line of rank 1" "$(lines --rank 1)"
touch "$cluster_state/$namespace/go"
check_runs "wait" 0 "$KML" wait two
check "list, at the end" "Succeeded 3/3 2" "$(listed two)"
check "RUN TIME, at the end" yes "$(run_time two)"
check "logs --rank 0, at the end" "line of rank 0" "$(lines --rank 0)"
check "logs --rank 1, at the end" "line of rank 1" "$(lines --rank 1)"
history() { say history "$1" | awk 'NR > 1 { print $1, $3 }' | sort | xargs; }
check "history: one attempt of each pod" "1 launcher 1 worker-0 1 worker-1" "$(history two)"
check_runs "submit without marks" 0 "$KML" submit --name plain "${mpi[@]}" --wait -- mpirun sh -c 'echo line'
check_says "logs --rank of lines without marks" "no line names its rank" 'mpirun --tag-output' "$(say logs plain --rank 0)"

# A launcher that fails is started again, up to the number of retries.
check_runs "submit with a retry" 3 "$KML" submit --name again "${mpi[@]}" --retries 1 --wait -- mpirun sh -c 'exit 17'
check_says "history: two attempts of the launcher" "attempts 1 and 2 of the launcher" '1 launcher.*2 launcher' "$(history again)"
check_says "first-error" "a rank ended with 17" '17' "$(say logs again --first-error)"
check "list, failed" "Failed" "$(listed again | cut -d' ' -f1)"
