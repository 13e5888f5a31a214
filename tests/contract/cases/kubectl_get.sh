. "$(dirname "$0")/../lib.sh"
# Tests kubectl get in all its forms; the server provides the columns.
job hello 'echo hello' | k create -f - >/dev/null
job other 'exit 0' | sed 's/app: contract/app: other/' | k create -f - >/dev/null
expect 0 k wait --for=condition=complete job --all --timeout=1000s
expect 0 k get job hello
matches "$out" $'^NAME +STATUS +COMPLETIONS +DURATION +AGE\nhello +Complete +1/1 +[0-9ms]+ +[0-9ms]+$'
expect 0 k get jobs -o wide -l app=contract
matches "$out" $'^NAME +STATUS +COMPLETIONS +DURATION +AGE +CONTAINERS +IMAGES +SELECTOR\nhello +Complete +1/1 +[0-9ms]+ +[0-9ms]+ +main +localhost/busybox:1 +batch.kubernetes.io/controller-uid=[0-9a-f-]+$'
expect 0 k get pods -l app=contract
matches "$out" $'^NAME +READY +STATUS +RESTARTS +AGE\nhello-[a-z0-9]+ +0/1 +Completed +0 +[0-9ms]+$'
expect 0 k get pods -l app=contract -o wide --no-headers
matches "$out" "^hello-[a-z0-9]+ +0/1 +Completed +0 +[0-9ms]+ +[0-9.]+ +$node +<none> +<none>\$"
expect 0 k get pods --field-selector status.phase!=Succeeded
contains "$err" "No resources found in $namespace namespace."
expect 0 kubectl get pods --all-namespaces -l app=contract
matches "$out" "$namespace +hello-[a-z0-9]+ +0/1 +Completed"
expect 0 k get jobs,pods -o name
matches "$out" $'^job.batch/hello\njob.batch/other\npod/hello-[a-z0-9]+\npod/other-[a-z0-9]+$'
expect 0 k get job hello -o yaml
contains "$out" $'apiVersion: batch/v1\nkind: Job\nmetadata:'
expect 0 k get job hello -o 'jsonpath={.metadata.name} {.status.succeeded} {.spec.template.spec.containers[*].image}'
[ "$out" = "hello 1 localhost/busybox:1" ] || fail "$out"
expect 0 k get jobs -o json
contains "$out" '"kind": "List"'
expect 0 k get jobs -o custom-columns=N:.metadata.name,P:.spec.parallelism --sort-by=.metadata.name
matches "$out" $'^N +P\nhello +1\nother +1$'
expect 0 k get jobs -L app
matches "$out" $'hello +Complete +1/1 +[0-9ms]+ +[0-9ms]+ +contract'
expect 0 k get node "$node"
matches "$out" $'^NAME +STATUS +ROLES +AGE +VERSION\n'"$node +Ready"
events() { [[ "$(k get events)" =~ ^LAST\ SEEN\ +TYPE\ +REASON\ +OBJECT\ +MESSAGE ]]; }
eventually events
k create -f - >/dev/null <<<'{apiVersion: v1, kind: ConfigMap, metadata: {name: numbers}, data: {a: "1", b: "2"}}'
k create -f - >/dev/null <<<'{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {token: x}}'
expect 0 k get configmap numbers
matches "$out" $'^NAME +DATA +AGE\nnumbers +2 '
expect 0 k get secret key
matches "$out" $'^NAME +TYPE +DATA +AGE\nkey +Opaque +1 '
expect 0 kubectl get priorityclass system-node-critical
matches "$out" $'^NAME +VALUE +GLOBAL-DEFAULT +AGE +PREEMPTIONPOLICY\nsystem-node-critical +2000001000 +false '
expect 0 kubectl get namespace "$namespace"
matches "$out" $'^NAME +STATUS +AGE\n'"$namespace +Active "
expect 1 k get nothings
contains "$err" "the server doesn't have a resource type \"nothings\""
expect 1 k get job nothing
contains "$err" 'Error from server (NotFound): jobs.batch "nothing" not found'

# get -w: prints rows as they change, under a single header.
job watched 'exit 0' >watched.yaml
k get jobs -w -l app=contract --output-watch-events >watch.out 2>watch.err &
watch=$!
eventually grep -q ADDED watch.out
k create -f watched.yaml >/dev/null
eventually grep -Eq 'MODIFIED +watched +Complete +1/1' watch.out
kill "$watch"
wait "$watch" || true
[ "$(grep -c NAME watch.out)" = 1 ] || fail "more than one head: $(cat watch.out)"
