# The output of `kml run example` has every field of a step, and runs.
. "$(dirname "$0")/lib.sh"
"$KML" run example >all.yaml
expect 0 "$KML" run all.yaml
contains "$out" "best.x=3"
contains "$out" "careful skipped"
contains "$out" "on-exit done"
for field in $(sed -n 's/^ *"\([a-zA-Z]*\)",\{0,1\} *$/\1/p;/kStepKeys = {/,/};/p' "$SOURCE/src/pipeline/language/parse_step.cc" | grep -o '"[a-zA-Z]*"' | tr -d '"'); do
  grep -q "[ {]$field:" all.yaml || fail "the example does not show $field"
done
expect 0 "$KML" run all.yaml
[ "$(grep -c cached <<<"$out")" = 7 ] || fail "not all is cached: $out"
