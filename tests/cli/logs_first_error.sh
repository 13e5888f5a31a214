# In gangs of eight, kml names the rank that failed first, and not those that failed because of it. Then tests
# the output formats.
. "$(dirname "$0")/lib.sh"
"$SOURCE/tests/soak/first_error" --gangs 10
expect 0 "$KML" submit --name bad -- sh -c 'echo "ValueError: no such batch"; exit 1'
expect 3 "$KML" logs -f bad --first-error
contains "$out" "job bad: rank 0 (pod bad-"
contains "$out" "died first: exit code 1, at "
contains "$out" "  ValueError: no such batch"
expect 0 "$KML" logs bad --first-error -o json
contains "$out" '"exitCode":1'
contains "$out" 'ValueError: no such batch'
expect 0 "$KML" submit --name fine -- true
expect 0 "$KML" logs -f fine --first-error
[ -z "$out" ] || fail "$out"
expect 2 "$KML" logs --pods . --first-error
