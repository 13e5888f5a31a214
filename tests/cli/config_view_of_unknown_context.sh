# The settings can be viewed even if their context does not exist.
. "$(dirname "$0")/lib.sh"
printf 'context: prod\nnamespace: research\nimage: registry.example/bert:3\n' >kml.yaml
expect 0 "$KML" config view --origin
contains "$out" "prod"
contains "$out" "kml.yaml:1"
