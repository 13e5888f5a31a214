. "$(dirname "$0")/lib.sh"
# Tests a job that waits for another one in the cluster. The waiting job is created suspended, and a small pod
# starts it, even if that pod is killed in the meantime. If the other job fails, the waiting job reports that
# it cannot start. Deleting the waiting job deletes the pod.
kml() { timeout 1000 "$KML" "$@"; }
need_engine_image
after() { expect 0 kml submit --name "$1" "${on_node1[@]}" --after "$2" --in-cluster --engine-image "$image" -- sh -c "echo $1 ran"; }
# The waiting pod selects no node. It requests a resource that only the real node has, so that it does not run on
# simulated nodes.
for part in capacity allocatable; do
  cluster kubectl patch node node1 --subresource=status --type=json \
    -p "[{\"op\": \"add\", \"path\": \"/status/$part/example.com~1real\", \"value\": \"1000\"}]" >/dev/null
done
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: LimitRange, metadata: {name: real}, spec: {limits: [{type: Container, default: {example.com/real: "1"}}]}}
Y
folder=$cluster_state/$namespace
rm -rf "$folder"; mkdir -m 777 "$folder"
waits_until_told() {
  expect 0 kml submit --name "$1" "${on_node1[@]}" --mount "host$folder:/told:ro" -- sh -c "until [ -e /told/$1 ]; do sleep 0.2; done; exit $2"
}
engine_pod() { k get pods -l "kml.dev/after-engine=$1" --field-selector status.phase=Running -o name; }

waits_until_told first 0
after second first
contains "$err" "job second-engine waits for the other jobs, and then starts second"
expect 0 kml why second
contains "$out" "waits for first to succeed"
for list in list queue; do
  expect 0 kml $list
  contains "$out" "for first to succeed"
done
[ -z "$(k get pods -l batch.kubernetes.io/job-name=second -o name)" ] || fail "second has pods already"
begun() { [ -n "$(engine_pod second)" ]; }
eventually begun
k delete "$(engine_pod second)" --force --grace-period=0 >/dev/null 2>&1
touch "$folder/first"
expect 0 kml wait second
expect 0 kml logs second
contains "$out" "second ran"
ends_of() { k get job "$1" -o 'jsonpath={.status.startTime} {.status.completionTime}'; }
read -r _ first_end <<<"$(ends_of first)"
read -r second_start _ <<<"$(ends_of second)"
[[ ! "$second_start" < "$first_end" ]] || fail "second began at $second_start, first ended at $first_end"
is_done() { k get job second-engine -o 'jsonpath={.status.conditions[*].type}' | grep -q Complete; }
eventually is_done

waits_until_told bad 1
after never bad
after repair bad:failed
touch "$folder/bad"
expect 0 kml wait repair
is_never() { kml why never | grep -q "but bad failed"; }
eventually is_never
has_failed() { k get job never-engine -o 'jsonpath={.status.conditions[*].type}' | grep -q Failed; }
eventually has_failed
[ -z "$(k get pods -l batch.kubernetes.io/job-name=never -o name)" ] || fail "it ran"

for job in second never; do expect 0 kml delete $job; done
gone() { [ -z "$(k get serviceaccounts,roles,rolebindings,jobs -o name | grep -e second -e never)" ]; }
eventually gone

# Requests that cannot be fulfilled are rejected before anything is created.
expect 2 kml submit --in-cluster "${on_node1[@]}" -- true
contains "$err" "--in-cluster needs --after"
expect 2 kml submit --after repair --in-cluster "${on_node1[@]}" -- true
contains "$err" "examples/engine-image"
expect 2 kml submit --after repair --engine-image "$image" "${on_node1[@]}" -- true
contains "$err" "need --in-cluster"
expect 2 kml submit --after repair --in-cluster --engine-image "$image" --queue team "${on_node1[@]}" -- true
contains "$err" "Kueue would start the job"
expect 2 kml --context local submit --after repair --in-cluster --engine-image "$image" -- true
contains "$err" "--in-cluster needs a cluster"
