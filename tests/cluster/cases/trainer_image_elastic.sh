. "$(dirname "$0")/lib.sh"
# Runs an elastic PyTorchJob on the training operator. Its workers find each other and train. After a while all stop
# like preempted ones (143), are restarted, and continue from their checkpoint.
need_trainer
state=$cluster_state/$namespace
rm -rf "$state"; mkdir "$state"
cat >worker.sh <<'C'
echo "one of $PET_NNODES, meeting at $PET_RDZV_ENDPOINT"
train() { kml-trainer --data /data --checkpoint-dir /state --threads 1 --max_steps $1; }
[ -e /state/LATEST ] || { train 30 && exit 143; exit; }
train 60
C
expect 0 "$KML" submit -t pytorchjob-elastic --name elastic --nodes 2 "${with_trainer[@]}" --mount "host$state:/state" \
  -- sh -c "$(cat worker.sh)"
expect 0 "$KML" wait elastic --timeout 1000s
# When one worker is done, the operator considers the job done. If the other one finishes later, the operator deletes it
# with its log.
expect 0 "$KML" logs elastic
contains "$out" "one of 1:2, meeting at elastic-worker-0:"
contains "$out" "of 2 is connected to the others through elastic-worker-0"
grep -qE "(resumed|continues) at step 30" <<<"$out" || fail "it did not continue at step 30: $out"
contains "$out" "finished at step 60"

# The job also runs and ends with a single worker, if there is room for only one.
allocatable=$(k get node node1 -o 'jsonpath={.status.allocatable.memory}')
expect 0 "$KML" submit -t pytorchjob-elastic --name fewer --nodes 2 --memory $((${allocatable%Ki} * 6 / 10))Ki "${with_trainer[@]}" \
  -- kml-trainer --data /data --max_steps 30
expect 0 "$KML" wait fewer --timeout 1000s
expect 0 "$KML" logs fewer
contains "$out" "rank 0 of 1 is connected to the others"
contains "$out" "finished at step 30"
