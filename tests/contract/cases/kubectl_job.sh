. "$(dirname "$0")/../lib.sh"
# Tests a job's life for a user of kubectl: create, wait, get, logs, describe, events, delete.
job hello 'echo hello from a pod; echo a second line' >hello.yaml
expect 0 k create -f hello.yaml
[ "$out" = "job.batch/hello created" ] || fail "$out"
expect 1 k create -f hello.yaml
contains "$err" 'Error from server (AlreadyExists): error when creating "hello.yaml": jobs.batch "hello" already exists'
expect 0 k wait --for=condition=complete job/hello --timeout=1000s
[ "$out" = "job.batch/hello condition met" ] || fail "$out"
expect 0 k logs job/hello
[ "$out" = $'hello from a pod\na second line' ] || fail "log: $out"
expect 0 k logs -l job-name=hello --tail=1
[ "$out" = "a second line" ] || fail "log: $out"
expect 0 k logs job/hello --timestamps --tail=1
matches "$out" '^20[0-9-]+T[0-9:.]+Z a second line$'
expect 1 k logs job/hello -c none
contains "$err" "container none is not valid for pod hello-"
expect 1 k logs job/hello --previous
contains "$err" 'previous terminated container "main" in pod "hello-'

completed='Normal +Completed +[0-9ms]+ +job-controller +Job completed'
told() { [[ "$(k describe job hello)" =~ $completed ]]; }
eventually told
expect 0 k describe job hello
matches "$out" 'Pods Statuses: +0 Active \(0 Ready\) / 1 Succeeded / 0 Failed'
matches "$out" 'Labels: +app=contract'
matches "$out" 'Normal +SuccessfulCreate +[0-9ms]+ +job-controller +Created pod: hello-'
pod=$(k get pods -l app=contract -o jsonpath='{.items[0].metadata.name}')
expect 0 k describe pod "$pod"
matches "$out" 'Status: +Succeeded'
matches "$out" 'Controlled By: +Job/hello'
matches "$out" 'Reason: +Completed'
matches "$out" 'Exit Code: +0'
expect 0 k describe node "$node"
matches "$out" 'nvidia.com/gpu'
expect 0 k events --for job/hello
matches "$out" 'Normal +SuccessfulCreate +Job/hello +Created pod: hello-'

expect 0 k delete job hello
contains "$out" 'job.batch "hello" deleted'
expect 1 k get job hello
contains "$err" 'Error from server (NotFound): jobs.batch "hello" not found'
has_no_pods() { [ -z "$(k get pods -o name)" ]; }
eventually has_no_pods

# Tests a failing job, and a job that is followed while it is running.
job fails 'exit 3' | k create -f - >/dev/null
expect 0 k wait --for=condition=failed job/fails --timeout=1000s
expect 0 k get job fails -o jsonpath='{.status.conditions[?(@.type=="Failed")].reason}'
[ "$out" = BackoffLimitExceeded ] || fail "$out"
# The job runs until it is deleted, so that even a slow machine finds it running.
job runs 'for i in 1 2 3; do echo line $i; sleep 0.3; done; sleep 600' | k create -f - >/dev/null
expect 0 k wait --for=jsonpath='{.status.ready}'=1 job/runs --timeout=1000s
k logs -f job/runs >followed & follower=$!
eventually grep -q 'line 3' followed
expect 0 k delete job runs
wait $follower || fail "kubectl logs -f ended with $?"
[ "$(cat followed)" = $'line 1\nline 2\nline 3' ] || fail "followed: $(cat followed)"
