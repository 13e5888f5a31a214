# A real kubectl attaches to pods of the embedded server and gets their output from then on, with the streams kept
# apart.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: x
    command: [sh, -c, "echo before; until [ -e $work/go ]; do echo again; sleep 0.1; done; echo after; echo bad >&2; printf end"]
YAML
expect 0 kubectl wait --for=condition=Ready pod/web --timeout=1000s
eventually sh -c 'kubectl logs web | grep -q before'
expect 1 kubectl get --raw "/api/v1/namespaces/default/pods/web/attach?stdout=1&stdin=1"
contains "$err" "cannot attach stdin: containers of kml's embedded server read from /dev/null"
kubectl attach web >attached 2>attached.err & client=$!
eventually grep -q again attached
touch go
wait $client || fail "kubectl attach ended with $?: $(cat attached.err)"
grep -q before attached && fail "what was written before: $(cat attached)"
[ "$(tail -n 2 attached)" = $'after\nend' ] || fail "out: $(cat attached)"
grep -qx bad attached.err || fail "err: $(cat attached.err)"
