# For a failed PyTorchJob, the logs of all ranks are printed and followed, even if the operator has removed a
# rank's pod.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit -t pytorchjob --name ddp --nodes 3 -- sh -c 'trap "echo bye $RANK; exit 1" TERM
  echo "rank $RANK"; touch "up$RANK"
  [ "$RANK" != 1 ] || { until [ -e up0 ] && [ -e up2 ]; do sleep 0.02; done; echo boom; exit 3; }
  while :; do sleep 0.05; done'
expect 3 "$KML" wait ddp
alone() { [ "$(kubectl --kubeconfig "$XDG_STATE_HOME/kml/local/kubeconfig" get pods -o name | wc -l)" = 1 ]; }
eventually alone
for follow in "" -f; do
  "$KML" logs $follow ddp >lines 2>err || true
  for line in "rank 0" "rank 1" "rank 2" "bye 0" "bye 2" boom; do
    [ "$(grep -c "$line" lines)" = 1 ] || fail "not \"$line\" once with \"$follow\": $(cat lines err)"
  done
done
