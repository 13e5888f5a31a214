. "$(dirname "$0")/lib.sh"
# Ranks on the real node train together, over TCP between pods. They give the same bytes as one process here. They run
# the user's code, sent by --code.
need_trainer
state=$cluster_state/$namespace
rm -rf "$state"; mkdir "$state"
flags=(--data "$cluster_state/mnist" --max_steps 60 --threads 1)
"$(dirname "$KML")/kml-trainer" "${flags[@]}" --checkpoint-dir "$state/here" >here
mkdir code
cat >code/rank.sh <<'C'
echo "rank $RANK of $WORLD_SIZE in $(pwd), master $MASTER_ADDR"
exec kml-trainer --data /data --max_steps 60 --threads 1 --checkpoint-dir /state/$1
C
ranks_train() { # TEMPLATE MASTER FLAG...
  local template=$1 master=$2 rank; shift 2
  expect 0 "$KML" submit -t "$template" --name ranks --nodes 3 --code code "${with_trainer[@]}" --mount "host$state:/state" \
    "$@" -- sh rank.sh "$template"
  expect 0 "$KML" wait ranks --timeout 1000s
  expect 0 "$KML" status ranks
  contains "$out" Succeeded
  expect 0 "$KML" logs ranks
  for rank in 0 1 2; do
    contains "$out" "rank $rank of 3 in /kml/code, master $master"
    contains "$out" "kml-trainer[$rank]: rank $rank of 3 is connected to the others through $master"
  done
  [ "$(grep -c 'finished at step 60' <<<"$out")" = 3 ] || fail "not all finished: $out"
  diff here <(grep -o 'Accuracy.*' <<<"$out")
  cmp "$state"/{here,"$template"}/step-0000000060.safetensors || fail "the weights differ"
  [ "$(k get secrets -o name | grep -c kml-code)" = 1 ] || fail "the code is not in one Secret"
  expect 0 "$KML" delete ranks
  eventually all_gone
}
all_gone() { [ -z "$(k get secrets,services,pods -o name)" ]; }
ranks_train job-indexed ranks-0.ranks
ranks_train pytorchjob ranks-master-0 -p clean-pods=None
