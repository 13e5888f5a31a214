. "$(dirname "$0")/lib.sh"
cat >secret.yaml <<'Y'
apiVersion: v1
kind: Secret
metadata:
  name: key
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"token":"hunter2"}}'}
stringData: {token: hunter2}
Y
encoded=$(printf hunter2 | base64)
# shown ARGUMENTS...: checks that a submit of the secret does not print its value.
shown() {
  expect 0 "$KML" submit -f secret.yaml "$@"
  [[ "$out$err" != *hunter2* && "$out$err" != *$encoded* ]] || fail "submit $* shows a secret: $out"
}
shown --dry-run
shown --dry-run=server -o yaml
shown -o json
! grep -q hunter2 "$XDG_STATE_HOME/kml/runs.jsonl" || fail "a record holds a secret"
[ "$(stat -c %a "$XDG_STATE_HOME/kml/runs.jsonl")" = 600 ] || fail "others can read the records"
