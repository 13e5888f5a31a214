# Errors in a sweep from the command line name the flags, not the fields that the flags set.
. "$(dirname "$0")/lib.sh"
refused() {
  local words=$1
  shift
  expect 2 "$KML" sweep run "$@" -- sh -c 'echo y={x}'
  contains "$err" "$words"
  [[ "$err" != *spec.* && "$err" != *metadata.* ]] || fail "a field that nobody wrote: $err"
}
refused "--trials: " s --param x=1..3 --maximize y --trials 0
refused "--parallel: " s --param x=1..3 --maximize y --parallel 100000
refused "asha needs --resource METRIC:MAX" s --param x=1..3 --maximize y --early-stopping asha
refused "--resource min: " s --param x=1..3 --maximize y --early-stopping asha --resource epoch:9..2
refused "--maximize or --minimize: is missing" s --param x=1..3
refused '"x" is given twice' s --param x=1..3 --param x=2..4 --maximize y
refused "--time: " s --param x=1..3 --maximize y --time 0
refused "kml sweep run NAME" --param x=1..3 --maximize y
expect 0 "$KML" sweep list -o name
[ -z "$out" ] || fail "$out"
# For a file, errors name its fields.
echo '{apiVersion: kml.dev/v1, kind: Sweep, metadata: {name: s}, spec: {maxTrialCount: 0}}' >s.yaml
expect 2 "$KML" sweep run -f s.yaml -- sh -c 'echo y={x}'
contains "$err" "s.yaml spec.maxTrialCount"
