. "$(dirname "$0")/lib.sh"
# A secret variable reaches the pod in a Secret, which is deleted with the job. No other object contains the value.
export API_KEY=from-env-2f1b7c
expect 0 "$KML" submit --name uses "${on_node1[@]}" --secret API_KEY --wait --timeout 1000s -- sh -c 'echo "has ${#API_KEY} letters"'
expect 0 "$KML" logs uses
contains "$out" "has 15 letters"
expect 0 k get jobs,pods,events -o yaml
[[ "$out" != *$API_KEY* ]] || fail "the value stands in an object"
secrets() { k get secrets -o name | grep -c secret/kml- || true; }
[ "$(secrets)" = 1 ] || fail "$(secrets) secrets of one submit"
expect 0 k get secret -l app.kubernetes.io/managed-by=kml -o 'jsonpath={.items[0].metadata.ownerReferences[0].name} {.items[0].immutable}'
[ "$out" = "uses true" ] || fail "not the job's: $out"
expect 0 "$KML" delete uses
no_secret() { [ "$(secrets)" = 0 ]; }
eventually no_secret

# If the job is rejected, no Secret remains.
expect 1 "$KML" submit --name refused "${on_node1[@]}" --secret API_KEY --set spec.parallelism=-1 -- true
[ "$(secrets)" = 0 ] || fail "$(secrets) secrets of a job that was refused"
