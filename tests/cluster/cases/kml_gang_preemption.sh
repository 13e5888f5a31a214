. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/slice_lib.sh"
# One of two ranks that train together is preempted. The other stops, too, which is not a failure of the job. Both
# start again, meet, continue from the checkpoint, and end with the weights of one uninterrupted process. They compete
# for a MIG slice that only this case has.
if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: training takes long with sanitizers"; finish 77; fi
need_trainer
need_slices mig-2g.10gb 2

# The first attempt never ends by itself. The next one ends a little after the step at which it continues.
train='
steps=1000000
if [ -e /ck/LATEST ]; then until [ -e /ck/steps ]; do sleep 0.1; done; steps=$(cat /ck/steps); fi
exec kml-trainer --data /data --checkpoint-dir /ck --checkpoint-every 20 --max_steps $steps'
preempted() { # TEMPLATE FLAG...
  local name=$1 steps; shift
  mkdir "$ck/$name"
  expect 0 "$KML" submit -t "$name" --name "$name" --nodes 2 --gpus $slice:1 "${with_trainer[@]}" --mount "host$ck/$name:/ck" "$@" \
    -- sh -c "$train"
  eventually test -s "$ck/$name/LATEST"
  preempt rival
  runs() { [ "$(k get job rival -o jsonpath='{.status.ready}')" = 1 ]; }
  eventually runs
  waits() { "$KML" queue | grep -Eq "^[0-9-]+ +(pytorchjob/)?$name "; }
  eventually waits
  steps=$(($(sed 's/[^0-9]*0*\([0-9]*\).*/\1/' "$ck/$name/LATEST") + 60))
  echo $steps >"$ck/$name/new"; mv "$ck/$name/new" "$ck/$name/steps"
  expect 0 "$KML" delete rival
  expect 0 "$KML" wait "$name" --timeout 1000s
  expect 0 "$KML" status "$name"
  contains "$out" Succeeded
  "$(dirname "$KML")/kml-trainer" --data "$cluster_state/mnist" --max_steps $steps --checkpoint-dir alone-$name >/dev/null 2>&1
  cmp alone-$name/step-*"$steps.safetensors" "$ck/$name"/step-*"$steps.safetensors" || fail "the weights differ"
  expect 0 "$KML" delete "$name"
}
preempted job-indexed
preempted pytorchjob
