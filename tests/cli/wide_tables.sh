. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 1 --node-label speed=fast >/dev/null
expect 0 "$KML" submit --name runs --gpus 1 --node-selector speed=fast -- sleep 1000
eventually sh -c '"$KML" list | grep -q Running'
expect 0 "$KML" submit --name waits --gpus 1 -- true
eventually sh -c '"$KML" queue | grep -q "not enough"'
for command in list queue; do
  expect 0 "$KML" $command
  [[ "$out" != *"nodes are available"* ]] || fail "the short table has the long message"
  expect 0 "$KML" $command -o wide
  contains "$out" "NODE SELECTOR"
  contains "$out" "speed=fast"
  contains "$out" "0/1 nodes are available"
done
contains "$out" "PODS"
