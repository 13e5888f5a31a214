. "$(dirname "$0")/lib.sh"
# Tests warnings and rejections of the API server, in kml's words.
job() { # NAME MORE-OF-THE-CONTAINER RESTART-POLICY-LINE
  cat <<END
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  suspend: true
  template: {spec: {containers: [{name: main, image: x, $2}], $3}}
END
}
job warned 'env: [{name: A, value: "1"}, {name: A, value: "2"}]' 'restartPolicy: Never' >job.yaml
expect 0 "$KML" submit -f job.yaml
contains "$err" 'kml: warning: spec.template.spec.containers[0].env[1]: hides previous definition of "A"'
[ "$(grep -c warning <<<"$err")" = 1 ] || fail "warned more than once: $err"

job strict 'env: []' 'restartPolcy: Never' >job.yaml
expect 1 "$KML" submit -f job.yaml --no-check
contains "$err" 'unknown field "spec.template.spec.restartPolcy"'
job wrong 'env: [{name: ""}]' 'restartPolicy: Sometimes' >job.yaml
expect 1 "$KML" submit -f job.yaml --no-check
contains "$err" '(422)'
contains "$err" 'spec.template.spec.containers[0].env[0].name: '
contains "$err" 'spec.template.spec.restartPolicy: '

k create serviceaccount poor >/dev/null
as() { # TOKEN COMMAND...: runs kml with this token, which it gets from a credential plugin
  local token=$1
  shift
  cat >token <<END
#!/bin/sh
echo '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "$token"}}'
END
  chmod 700 token
  cluster kubectl config --kubeconfig "$work/as" set-credentials poor --exec-command=token \
    --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never >/dev/null
  "$KML" --kubeconfig "$work/as" "$@"
}
export PATH=$work:$PATH
cp "$KUBECONFIG" as
cluster kubectl config --kubeconfig as set-context --current --user poor >/dev/null
job refused 'env: []' 'restartPolicy: Never' >job.yaml
expect 4 as "$(k create token poor)" submit -f job.yaml
contains "$err" 'User "system:serviceaccount:'
expect 4 as nonsense submit -f job.yaml
contains "$err" '(401)'
k create rolebinding poor --clusterrole edit --serviceaccount "$namespace:poor" >/dev/null
token=$(k create token poor)
eventually as "$token" submit -f job.yaml
