. "$(dirname "$0")/lib.sh"
# Text from pods and servers is cleaned before it reaches the terminal.
"$KML" local up >/dev/null 2>&1
ended() { "$KML" list --no-headers | grep -q Failed; }
expect 0 "$KML" submit --name evil -- sh -c 'printf "\033]0;title\007\033[2J" >/dev/termination-log 2>/dev/null; exit 3'
eventually ended
script -qec "$KML why evil" screen </dev/null >/dev/null
if grep -q $'\033]0;\|\033\[2J' screen; then fail "$(cat -v screen)"; fi
expect 0 "$KML" submit --name "bad-label" --node-selector 'zone=b' --no-check -- true
expect 0 "$KML" why bad-label
if grep -q $'\033' <<<"$out"; then fail "escapes into a pipe: $out"; fi
