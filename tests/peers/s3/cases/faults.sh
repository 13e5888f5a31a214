# Errors name the key, the bucket and a fix; a run whose store fails can continue.
. "$SOURCE/tests/cli/lib.sh"
: >code
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: short}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    make: {command: [sh, -c, 'echo made >"$0"', "${out.file}"], outputs: {file: file}}
Y
AWS_SECRET_ACCESS_KEY=wrong expect 4 "$KML" run p.yaml --store "s3://$BUCKET"
contains "$err" "the secret is wrong for access key tester (from AWS_ACCESS_KEY_ID)"
! [[ "$err" == *"(403)"* ]] || fail "the status is named twice: $err"
expect 2 "$KML" run p.yaml --store s3://no-such-bucket
contains "$err" "no bucket no-such-bucket at http://127.0.0.1:"
expect 2 "$KML" run p.yaml --store s3://X
contains "$err" "does not name a bucket"
AWS_ENDPOINT_URL=http://127.0.0.1:1 expect 5 "$KML" run p.yaml --store "s3://$BUCKET" --name cut
contains "$err" "kml run resume cut"
expect 0 "$KML" run resume cut
contains "$err" "run cut succeeded"
# Uses the other form of URLs, with the bucket in the host.
mkdir -p "$HOME/.aws"
printf '[default]\ns3 =\n  addressing_style = virtual\n' >"$HOME/.aws/config"
AWS_ENDPOINT_URL=${AWS_ENDPOINT_URL/127.0.0.1/s3.localhost} expect 0 "$KML" run p.yaml --store "s3://$BUCKET" --no-cache
