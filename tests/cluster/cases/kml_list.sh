. "$(dirname "$0")/lib.sh"
# `kml list`, which reads protobuf, prints the same as its watch, which reads JSON.
simulated=(--image none --node-selector type=kwok --toleration kwok.x-k8s.io/node)
expect 0 "$KML" submit --name waiting "${on_node1[@]}" --gpus 100 --no-check -- true
expect 0 "$KML" submit --name failed "${on_node1[@]}" -- sh -c 'exit 3'
expect 0 "$KML" submit --name no-image --image localhost/none:1 --node-selector kubernetes.io/hostname=node1 -- true
expect 0 "$KML" submit --name running "${simulated[@]}" --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' \
  --gpus 2 --array 0-2%2 -- true
expect 0 "$KML" submit --name ended "${simulated[@]}" -- true
expect 0 "$KML" submit --name suspended "${on_node1[@]}" -- sleep 1000
expect 0 "$KML" suspend suspended
settled() {
  "$KML" list >now
  grep -q 'waiting .*Waiting .*enough GPUs' now && grep -q 'failed .*Failed .*exit code 3' now &&
    grep -q 'no-image .*Waiting .*\(image\)' now && grep -q 'running .*Running .*2/2' now &&
    grep -q 'ended .*Succeeded .*1/1' now && grep -q 'suspended .*Suspended .*0/1' now
}
(eventually settled) || fail "$(cat now)"
# Removes text that changes over time: times, and the text of a back-off.
still() { sed 's/ [0-9]\+[smhd][0-9smh]*/ TIME/g; s/\(ErrImagePull\|ImagePullBackOff\).*/no image/; s/  */ /g' | sort; }
seen() { [ "$(wc -l <watched)" -ge 6 ]; }
alike() { # FLAG...: something may change between the two
  "$KML" list --no-headers "$@" | still >once
  rm -f watched
  "$KML" list --no-headers "$@" -w >watched 2>&1 &
  watcher=$!
  eventually seen
  kill $watcher
  head -6 watched | still | diff once - >differences
}
(eventually alike) || fail "$(cat differences)"
(eventually alike -o wide) || fail "$(cat differences)"
