. "$(dirname "$0")/lib.sh"
# An elastic PyTorchJob on the training operator. There is no torchrun here: a shell does what shows that all it needs is
# there. Worker 0, the meeting point, trains, and ends as one that is preempted does (143). The operator starts it again;
# it goes on from its checkpoint, and the other worker finds it by the name that both were told.
need_trainer
state=$cluster_state/$namespace
rm -rf "$state"; mkdir "$state"
cat >worker.sh <<'C'
echo "one of $PET_NNODES, meeting at $PET_RDZV_ENDPOINT"
train() { kml-trainer --launch single --data /data --checkpoint-dir /state --max_steps $1; }
case $HOSTNAME in
  *-worker-0)
    [ -e /state/LATEST ] || { train 30; exit 143; }
    train 60
    line=; until [ -n "$line" ]; do line=$(nc -l -p ${PET_RDZV_ENDPOINT#*:}); done # a slow caller hangs up
    echo "heard: $line" ;;
  *)
    until echo "here is $HOSTNAME" | nc -w 10 ${PET_RDZV_ENDPOINT%:*} ${PET_RDZV_ENDPOINT#*:}; do sleep 0.2; done
    sleep 1000 ;;
esac
C
expect 0 "$KML" submit -t pytorchjob-elastic --name elastic --nodes 2 "${with_trainer[@]}" --mount "host$state:/state" \
  -- sh -c "$(cat worker.sh)"
expect 0 "$KML" wait elastic --timeout 240s
expect 0 "$KML" logs elastic
contains "$out" "one of 1:2, meeting at elastic-worker-0:"
contains "$out" "resumed at step 30"
contains "$out" "finished at step 60"
contains "$out" "heard: here is elastic-worker-1"

# It runs, and ends, with the one worker that has room.
allocatable=$(k get node node1 -o 'jsonpath={.status.allocatable.memory}')
expect 0 "$KML" submit -t pytorchjob-elastic --name fewer --nodes 2 --memory $((${allocatable%Ki} * 6 / 10))Ki "${with_trainer[@]}" \
  -- kml-trainer --launch single --data /data --max_steps 30
expect 0 "$KML" wait fewer --timeout 240s
expect 0 "$KML" logs fewer
contains "$out" "finished at step 30"
