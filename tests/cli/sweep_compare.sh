# Sweeps and runs of pipelines are compared by what they ran: their command, code, packages and search space.
. "$(dirname "$0")/lib.sh"
git config --global user.email ana@example.org
git config --global user.name ana
mkdir repo && cd repo
git init -q && echo 'print(1)' >train.py && git add train.py && git commit -qm first
sweep() { # NAME FLAGS... -- COMMAND...
  expect 0 "$KML" sweep run "$1" --trials 2 --algorithm grid --minimize loss "${@:2}"
}
base=(--param lr=1,2 -- sh -c 'echo loss={lr}')
sweep base "${base[@]}"
sweep same "${base[@]}"
sweep command --param lr=1,2 -- sh -c 'echo loss={lr} # b'
sweep variable --env SEED=3 "${base[@]}"
sweep space --param lr=1,2,3 -- sh -c 'echo loss={lr}'
sweep archive --code . "${base[@]}"
echo 'print(2)' >train.py
sweep changed "${base[@]}"
sweep archive2 --code . "${base[@]}"
git commit -qam second
sweep committed "${base[@]}"

# differ NAME NAME PROPERTY...: checks that a comparison of the two sweeps starts with these properties.
differ() {
  expect 0 "$KML" runs compare "$1" "$2"
  local first
  first=$(sed -n '2,$s/  .*//p' <<<"$out" | head -n $(($# - 2)) | tr '\n' ' ')
  [ "$first" = "${*:3} " ] || fail "$1 and $2 differ first in $first: $out"
}
differ base command command
differ base variable env.SEED
differ base space "search lr"
differ base archive "code digest"
differ base changed changes
differ base committed commit
differ archive archive2 changes "code digest"
expect 0 "$KML" runs compare base same --all
contains "$out" "echo loss={lr}"
contains "$out" "$PWD"
[ "$("$KML" runs compare base changed -o 'jsonpath={[1].facts.commit}')" = "$(git rev-parse HEAD~)" ] || fail "no commit"

# A sweep that continues keeps the code with which it began.
expect 0 "$KML" sweep run base --trials 3
differ base committed commit
