# kml list leaves out the steps of finished pipelines, and says so; --all shows them.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project
cat >pipeline.yaml <<'EOF'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: two}
spec:
  steps:
    a: {command: ["true"]}
EOF
expect 0 "$KML" run pipeline.yaml --name two
expect 0 "$KML" list
[[ "$out" != *two-a* ]] || fail "a step is listed: $out"
contains "$err" '1 job of sweeps and runs not shown: `kml list --all`'
expect 0 "$KML" list --all
contains "$out" "two-a"
