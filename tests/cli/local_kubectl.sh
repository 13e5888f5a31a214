. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
cat >job.yaml <<'EOF'
apiVersion: batch/v1
kind: Job
metadata: {name: hello}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: none, command: [echo, hello from a pod]}]
EOF
# kubectl before 1.25 checks fields itself, with an OpenAPI document that this server does not have.
validate=strict
kubectl create --help | grep -q strict || validate=false
expect 0 kubectl create -f job.yaml --validate=$validate
contains "$out" "job.batch/hello created"
expect 1 kubectl create -f job.yaml --validate=$validate
contains "$err" AlreadyExists
expect 0 kubectl wait --for=condition=complete --timeout=1000s job/hello
expect 0 kubectl logs job/hello
[ "$out" = "hello from a pod" ] || fail "log: $out"
expect 0 kubectl get pods -o name -l job-name=hello
contains "$out" pod/hello-
if [ $validate = strict ]; then
  sed 's/Never/Sometimes/; s/restartPolicy/restartPolcy/; s/hello}/bad}/' job.yaml >bad.yaml
  expect 1 kubectl create -f bad.yaml
  contains "$err" 'unknown field "spec.template.spec.restartPolcy"'
fi
expect 0 kubectl delete job hello
eventually sh -c '[ -z "$(kubectl get pods -o name)" ]'
expect 0 kubectl get events -A
expect 0 kubectl api-resources
