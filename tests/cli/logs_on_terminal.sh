. "$(dirname "$0")/lib.sh"
# Tests the log that a terminal receives: colors end with their line, matches are inverse, rank prefixes have their
# own colors, and there are no other control sequences. With --raw, the terminal receives the original bytes.
on_terminal() { script -qec "$(printf '%q ' "$@")" /dev/null </dev/null | tr -d '\r'; }
export TERM=xterm
unset NO_COLOR
expect 0 "$KML" submit --name painter --wait -- sh -c \
  'printf "\033[31mred loss=1\n[default3]:of a rank\ntitle \033]0;evil\007 \302\235title\302\234and \033[2Jclear\n10%%\r100%%\n"'
shown=$(on_terminal "$KML" logs painter --highlight 'loss=\d')
contains "$shown" $'\033[31mred \033[7mloss=1\033[27m\033[0m'
contains "$shown" $'[default3]:\033[0mof a rank'
contains "$shown" "title  and clear"
contains "$shown" $'\n100%'
[[ "$shown" != *10%* ]] || fail "what a progress bar took back is shown: $shown"
contains "$(on_terminal "$KML" logs painter --raw)" $'\033]0;evil'
contains "$("$KML" logs painter)" $'\033[2J'
[[ "$(NO_COLOR=1 on_terminal "$KML" logs painter --highlight loss)" != *$'\033[7m'* ]] || fail "inverse with NO_COLOR"
