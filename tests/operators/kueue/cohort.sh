. "$(dirname "$0")/lib.sh"
# `kml top queues` shows what a queue borrows from its cohort, and its weight there. A job that Kueue admits with fewer pods
# than it asked for is shown with both numbers.
own="cohortName: co-$namespace"
queue qa 8 "$own
  fairSharing: {weight: \"2\"}"
queue qb 8 "$own"
spare() { # in the namespace's flavor; at most 4 of qb's GPUs may be borrowed
  cluster kubectl patch clusterqueue "$namespace-qa" --type=json -p \
    '[{"op": "add", "path": "/spec/resourceGroups/0/flavors/0/resources/0/borrowingLimit", "value": 4}]' >/dev/null
}
spare
job() { # as in lib.sh, in queue qa
  "$KML" submit --no-check --name "$1" --queue qa --gpus "$2" --image localhost/busybox:1 --node-selector type=kwok \
    --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' "${@:3}" -- train >/dev/null
}
job a 8
job b 3
eventually runs a
eventually runs b
borrows() { "$KML" top queues -o wide | grep -E "^[^ ]+ +qa .* co-$namespace +2 .* $namespace:11/8 +$namespace:3/4 "; }
eventually borrows
"$KML" top queues -o wide | grep -Eq "^[^ ]+ +qb .* co-$namespace +- .* $namespace:0/8 +$namespace:0 " || fail "$("$KML" top queues -o wide)"
"$KML" top queues -o json | python3 -c 'import json, sys
one = [queue for queue in json.load(sys.stdin) if queue["name"] == "qa"][0]
assert one["cohort"].startswith("co-") and one["weight"] == "2", one
assert one["quotas"][0]["borrowed"] == 3 and one["quotas"][0]["borrowingLimit"] == 4, one'
expect 0 "$KML" cancel a b
eventually has_no_pods a
eventually has_no_pods b

# Twelve GPUs are available: the job's 20 pods become 12.
job part 1 --nodes 20 --annotation kueue.x-k8s.io/job-min-parallelism=2
eventually is_admitted part
all_run() { [ "$(k get pods --field-selector status.phase=Running -o name | grep -c part)" = 12 ]; }
eventually all_run
expect 0 "$KML" why part
contains "$out" "runs: 12 of 20 pods"
contains "$out" "Kueue admitted 12 of them"
expect 0 "$KML" list --no-headers
contains "$out" "12/20"
