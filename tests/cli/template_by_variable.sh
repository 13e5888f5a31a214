. "$(dirname "$0")/lib.sh"
# A project's parameters only apply to its own template.
cat >kml.yaml <<'Y'
template: pytorchjob
image: trainer:1
parameters: {nproc-per-node: 2}
Y
expect 0 "$KML" submit --dry-run -- true
contains "$out" "nprocPerNode: \"2\""
KML_TEMPLATE=job expect 0 "$KML" submit --dry-run -- true
contains "$out" "kind: Job"
expect 2 "$KML" submit --dry-run -p nproc=2 -- true
contains "$err" 'did you mean "nproc-per-node"'
expect 2 "$KML" submit --dry-run --label kml.dev/user=me --label app.kubernetes.io/managed-by=helm -- true
contains "$err" '"kml.dev/user" is set by kml itself'
contains "$err" '"app.kubernetes.io/managed-by" is set by kml itself'
