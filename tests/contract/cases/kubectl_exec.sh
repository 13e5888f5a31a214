. "$(dirname "$0")/../lib.sh"
# kubectl exec and attach in a running pod. The image has only a shell, so cp lacks tar.
k create -f - >/dev/null <<C
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 0
  restartPolicy: Never
  nodeSelector: {contract: here}
  containers:
  - name: main
    image: "localhost/busybox:1"
    command: [sh, -c, "until [ -e /tmp/go-$$ ]; do echo again; sleep 0.1; done; rm /tmp/go-$$; echo after; echo bad >&2"]
    env: [{name: GREETING, value: hi}]
    workingDir: /tmp
C
expect 0 k wait --for=condition=Ready pod/web --timeout=1000s
for code in 0 1 137 255; do expect $code k exec web -- sh -c "exit $code"; done
contains "$err" "command terminated with exit code 255"
expect 137 k exec web -- sh -c 'kill -9 $$'
expect 0 k exec web -- sh -c 'echo $GREETING from $PWD; echo to stderr >&2'
[ "$out" = "hi from /tmp" ] || fail "out: $out"
contains "$err" "to stderr"
expect 1 k exec web -- no-such-program
matches "$err" 'executable file .*not found in \$PATH' # each runtime has its own words
expect 1 k exec web -c other -- true
contains "$err" "container other is not valid for pod web"
expect 1 k exec gone -- true
contains "$err" 'pods "gone" not found'
[ "$(echo -n a | k exec -i web -- sh -c cat)" = a ] || fail "cat gave something else"
[ "$(k exec web -- sh -c "seq 1 300000" | cksum)" = "$(seq 1 300000 | cksum)" ] || fail "output is not whole"
# A process that is left behind does not keep the client waiting.
expect 0 k exec web -- sh -c 'sleep 3 & echo started'
[ "$out" = started ] || fail "out: $out"

k attach web >attached 2>attached.err & client=$!
eventually grep -q again attached
k exec web -- sh -c "echo >/tmp/go-$$" || true # its container may end first
wait $client || fail "kubectl attach ended with $?: $(cat attached.err)"
[ "$(tail -n 1 attached)" = after ] || fail "out: $(cat attached)"
grep -q bad attached.err || fail "err: $(cat attached.err)"

# A finished pod accepts no commands.
expect 0 k wait --for=jsonpath='{.status.phase}'=Succeeded pod/web --timeout=1000s
expect 1 k exec web -- true
contains "$err" "cannot exec into a container in a completed pod; current phase is Succeeded"
