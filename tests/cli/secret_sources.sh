. "$(dirname "$0")/lib.sh"
# A value on the command line is rejected and not printed.
expect 2 "$KML" submit --secret TOKEN=hunter2 --dry-run -- true
contains "$err" "other users may see the command line or kml.yaml"
[[ "$out$err" != *hunter2* ]] || fail "the refusal shows the value"
unset TOKEN
expect 2 "$KML" submit --secret TOKEN --secret OTHER=@missing --dry-run -- true
contains "$err" "no variable TOKEN"
contains "$err" missing
TOKEN=x expect 2 "$KML" submit --secret TOKEN --env TOKEN=y --dry-run -- true
contains "$err" "also set by --env"

printf 'line\r\n' >file
expect 0 "$KML" submit --name first --secret TOKEN=@file --wait -- bash -c 'printf %s "$TOKEN" >got'
[ "$(cat got)" = line ] || fail "the job got $(cat got)"
# The record does not contain the value: a rerun reads it from the environment.
expect 2 "$KML" rerun first
contains "$err" "no variable TOKEN"
TOKEN=again expect 0 "$KML" rerun first --wait
[ "$(cat got)" = again ] || fail "the second run got $(cat got)"
# Uses the keys of an existing Secret.
cat >secret.yaml <<'Y'
{apiVersion: v1, kind: Secret, metadata: {name: mine}, stringData: {TOKEN: existing}}
Y
expect 0 "$KML" submit -f secret.yaml
expect 0 "$KML" submit --env-from mine --wait -- bash -c 'printf %s "$TOKEN" >got'
[ "$(cat got)" = existing ] || fail "the job got $(cat got)"
