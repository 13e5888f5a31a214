# Tests the manual's description of --param and of placeholders: {NAME} is replaced unchanged, {args} word by word or
# quoted.
. "$(dirname "$0")/lib.sh"
are() { # FORM REGEX: checks that the sorted values of five trials match
  local found
  found=$("$KML" sweep run d1 --param "$1" --maximize score --algorithm random --trials 5 --dry-run -- echo '{args}' |
    sed -n 's/^trial .*  *[a-z]*=//p' | sort -g | tr '\n' ' ')
  [[ -n "$found" && "$found" =~ $2 ]] || fail "$1: $found"
}
are x=0..1 '^([01] )+$'
are x=0.0..1.0 '^(0\.[0-9]+ ){5}$'
are x=log:1e-4..1e-3 '^(0\.000[0-9]+ ){5}$'
are x=0..0.2/0.1 '^((0\.0|0\.1|0\.2) )+$'
are x=int:1e0..1e1 '^([0-9]+ )+$'
are x=int:log:16..1024 '^([0-9]+ )+$'
are x=32,64,128 '^((32|64|128) )+$'
are opt=adam,sgd '^((adam|sgd) )+$'

run() { expect 0 "$KML" sweep run "$1" --param 'opt=two  words' --maximize score --trials 1 -- "${@:2}"; expect 0 "$KML" sweep logs "$1" 0; }
run h1 sh -c 'printf "<%s>" {opt}; echo " {other} score=1"'
contains "$out" "<two><words> {other}"
run h2 sh -c 'printf "<%s>" "{opt}"; echo " score=1"'
contains "$out" "<two  words>"
run h3 sh -c 'printf "<%s>" {args}; echo " score=1"'
contains "$out" "<--opt=two  words>"
run h4 sh -c 'printf "<%s>" "$@"; echo " $KML_SWEEP $KML_TRIAL score=1"' sh '{args}'
contains "$out" "<--opt=two  words> h4 0"
run h5 sh -c 'opt=3; echo "opt is ${opt} of {opt} score=1"'
contains "$out" "opt is 3 of two  words"
expect 0 "$KML" sweep run h6 --param opt=1..2 --maximize score --dry-run -- sh -c 'opt=3; echo ${opt} {opt}'
contains "$err" '${opt} is left to the shell; for the sweep'"'"'s value, write {opt}'
