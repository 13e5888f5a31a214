. "$(dirname "$0")/lib.sh"
# Tests commands on kinds whose controllers do not run here. This test writes the status that the controllers would
# write.
cluster crds mpijob trainjob
status_of() { # KIND STATUS
  k patch "$1" "$1" --subresource=status --type=merge -p "{\"status\": $2}" >/dev/null
}
condition() { printf '{"type": "%s", "status": "True", "reason": "Test", "message": "%s", "lastTransitionTime": "2026-01-01T00:00:00Z"}' "$1" "$2"; }
listed() { # KIND STATE
  expect 0 "$KML" list --no-headers
  grep -q "^$1/$1 .*$2" <<<"$out" || fail "no $1 is $2 in: $out"
}
for kind in mpijob trainjob; do
  expect 0 "$KML" submit --no-check -t $kind --name $kind --image img:1 --nodes 2 --gpus 4 -- mpirun train
  listed $kind Waiting
  expect 0 "$KML" suspend $kind/$kind
  listed $kind Suspended
  expect 0 "$KML" resume $kind
  expect 0 "$KML" queue --no-headers
  contains "$out" $kind
  expect 0 "$KML" status $kind
  contains "$out" "Waiting"
done
status_of mpijob "{\"conditions\": [$(condition Running running)], \"replicaStatuses\": {\"Launcher\": {\"active\": 1}, \"Worker\": {\"active\": 2}}}"
listed mpijob Running
status_of mpijob "{\"conditions\": [$(condition Succeeded done)], \"completionTime\": \"2026-01-01T00:00:00Z\"}"
expect 0 "$KML" wait mpijob --timeout 1000s
expect 0 "$KML" cancel trainjob
listed trainjob Cancelled
expect 0 k get trainjob trainjob -o 'jsonpath={.spec.suspend}'
[ "$out" = true ] || fail "not suspended: $out"
for kind in mpijob trainjob; do expect 0 "$KML" delete $kind; done
expect 0 "$KML" list --no-headers
for kind in mpijob trainjob; do [[ $out != *$kind* ]] || fail "still there: $out"; done
