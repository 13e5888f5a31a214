. "$(dirname "$0")/lib.sh"
# The trainer's image on a real node gives the same bits as the program here, even as a user other than root, and with a
# file system that is read-only except for its volumes.
need_trainer
steps=100
"$(dirname "$KML")/kml-trainer" --data "$cluster_state/mnist" --max_steps $steps >here
expect 0 "$KML" submit --name mnist "${with_trainer[@]}" --follow --set spec.template.spec.securityContext.runAsUser=1234 \
  --set 'spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem=true' \
  -- kml-trainer --data /data --max_steps $steps
diff here <(grep ^Accuracy <<<"$out")

# The trainer is the image's entry point, so a pod need not name it.
k run version --image localhost/kml-trainer:0.1.0 --restart Never --overrides '{"spec": {"nodeName": "node1"}}' -- --version >/dev/null
expect 0 k wait --for=jsonpath='{.status.phase}'=Succeeded pod/version --timeout=1000s
expect 0 k logs version
[ "$out" = "kml-trainer 0.1.0" ] || fail "$out"
