. "$(dirname "$0")/lib.sh"
# The embedded server has no Kueue that would start a suspended job.
echo 'queue: team-a' >kml.yaml
expect 0 "$KML" submit --dry-run -- true
[[ "$out" != *suspend* ]] || fail "suspended for nobody: $out"
