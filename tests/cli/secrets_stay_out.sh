. "$(dirname "$0")/lib.sh"
printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {token: hunter2}\n' >secret.yaml
expect 0 "$KML" submit -f secret.yaml --dry-run
[[ "$out" != *hunter2* ]] || fail "a dry run shows a secret: $out"
expect 0 "$KML" submit -f secret.yaml
! grep -q hunter2 "$XDG_STATE_HOME/kml/runs.jsonl" || fail "a record holds a secret"
[ "$(stat -c %a "$XDG_STATE_HOME/kml/runs.jsonl")" = 600 ] || fail "others can read the records"
