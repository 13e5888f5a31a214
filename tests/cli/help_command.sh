. "$(dirname "$0")/lib.sh"
expect 0 "$KML" help
contains "$out" "Usage: kml COMMAND"
expect 0 "$KML" help local up
contains "$out" "--fake-gpus"
expect 2 "$KML" help sumbit
contains "$err" 'did you mean "submit"'
# `help` prints the whole manual; `--help` is shorter, and only names the further sections.
expect 0 "$KML" help serve
contains "$out" $'\nScale to zero:\n'
expect 0 "$KML" serve --help
contains "$out" '`kml help serve` also has: Scale to zero; KServe.'
[[ "$out" != *$'\nScale to zero:\n'* ]] || fail "$out"
