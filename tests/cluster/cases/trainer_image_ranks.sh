. "$(dirname "$0")/lib.sh"
# Code of the user's, taken along by --code, runs in all ranks of the trainer's image. The workers find the master by DNS
# and tell it over TCP who they are; then the master trains, alone, as this trainer knows one process only.
need_trainer
mkdir code
cat >code/rank.sh <<'C'
echo "rank $RANK of $WORLD_SIZE in $(pwd), master $MASTER_ADDR"
hear() { line=; until [ -n "$line" ]; do line=$(nc -l -p $1); done; echo "$line"; } # a slow caller hangs up
port_of() { echo $((MASTER_PORT + $1)); }
case $RANK in
  0) for rank in 1 2; do echo "the master heard: $(hear $(port_of $rank))"; done
     exec kml-trainer --launch single --data /data --max_steps 60 ;;
  *) until echo "here is $RANK" | nc -w 10 $MASTER_ADDR $(port_of $RANK); do sleep 0.2; done ;;
esac
C
ranks_train() { # TEMPLATE MASTER FLAG...
  local template=$1 master=$2 rank; shift 2
  expect 0 "$KML" submit -t "$template" --name ranks --nodes 3 --code code "${with_trainer[@]}" "$@" -- sh rank.sh
  expect 0 "$KML" wait ranks --timeout 240s
  expect 0 "$KML" status ranks
  contains "$out" Succeeded
  expect 0 "$KML" logs ranks
  for rank in 0 1 2; do contains "$out" "rank $rank of 3 in /kml/code, master "; done
  for rank in 1 2; do
    contains "$out" "rank $rank of 3 in /kml/code, master $master"
    contains "$out" "the master heard: here is $rank"
  done
  contains "$out" "Accuracy at step 50: 0."
  contains "$out" "finished at step 60"
  [ "$(k get secrets -o name | grep -c kml-code)" = 1 ] || fail "the code is not in one Secret"
  expect 0 "$KML" delete ranks
  eventually all_gone
}
all_gone() { [ -z "$(k get secrets,services,pods -o name)" ]; }
ranks_train job-indexed ranks-0.ranks
ranks_train pytorchjob ranks-master-0 -p clean-pods=None
