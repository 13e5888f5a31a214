. "$(dirname "$0")/../lib.sh"
# Tests what reaches the ranks, which mpirun starts through SSH in other pods.
load_once mpi "$SOURCE/tests/operators/mpi/image" "$SOURCE/tests/operators/mpi/image"
kinds=pods,jobs,mpijobs
mpi=(-t mpijob --nodes 2 --image localhost/mpi:1 --node-selector kubernetes.io/hostname=node1)
show='echo "rank $OMPI_COMM_WORLD_RANK sees $FOO, $BAR on $(hostname)"'
truth='rank 0 and 1 see 1, a b'
seen='rank 0 sees 1, a b on .*-worker-0.*rank 1 sees 1, a b on .*-worker-1'
logs() { say logs "$1" -o raw | grep -o 'rank . sees.*' | sort || true; }
envs=(--env FOO=1 --env 'BAR=a b')
check_runs "submit" 0 "$KML" submit --name plain "${mpi[@]}" "${envs[@]}" --wait -- mpirun sh -c "$show"
check_says "--env reaches the ranks" "$truth" "$seen" "$(logs plain)"
check_runs "submit by a shell" 0 "$KML" submit --name shell "${mpi[@]}" "${envs[@]}" --wait -- sh -c "mpirun sh -c '$show'"
check_says "--env reaches the ranks of mpirun in a shell" "$truth" "$seen" "$(logs shell)"
check_runs "submit with -x" 0 "$KML" submit --name own "${mpi[@]}" "${envs[@]}" --wait -- mpirun -x FOO sh -c "$show"
check_says "--env beside the user's own -x" "$truth" "$seen" "$(logs own)"
check_runs "submit with secrets" 0 env FOO=1 BAR='a b' "$KML" submit --name secret "${mpi[@]}" --secret FOO --secret BAR --wait -- \
  mpirun sh -c "$show"
check_says "secrets reach the ranks" "$truth" "$seen" "$(logs secret)"
check_says "a script of its own" "kml cannot see its mpirun, and says so" 'mpirun -x FOO' \
  "$(say submit --dry-run --name script "${mpi[@]}" --env FOO=1 -- /opt/train.sh)"
