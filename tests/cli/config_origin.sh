. "$(dirname "$0")/lib.sh"
printf 'namespace: research\nimage: trainer:1\n' >kml.yaml
mkdir below && cd below
expect 0 "$KML" config view --origin
contains "$out" "kml.yaml:1"
export KML_NAMESPACE=other
expect 0 "$KML" config view --origin
contains "$out" "KML_NAMESPACE"
expect 0 "$KML" submit --dry-run -- true
contains "$out" "image: trainer:1"
contains "$out" "namespace: other"
