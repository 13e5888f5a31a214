. "$(dirname "$0")/lib.sh"
"$KML" completion bash >kml.bash
complete_words() {
  bash -c '. ./kml.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kml; echo "${COMPREPLY[*]}"' bash "$@"
}
contains "$(complete_words kml sub)" "submit"
contains "$(complete_words kml local do)" "down"
contains "$(complete_words kml submit --gp)" "--gpus"
contains "$(complete_words kml list -o js)" "json"
contains "$(complete_words kml list --output = js)" "json"
contains "$(complete_words kml submit --dry-run = '')" "server"
kml() { "$KML" "$@"; }
export -f kml
export KML
contains "$(complete_words kml submit -t py)" "pytorchjob"
contains "$(complete_words kml template show jo)" "job"
contains "$(complete_words kml list --context lo)" "local"
expect 0 "$KML" submit --name here -- true
contains "$(complete_words kml logs he)" "here"
expect 0 "$KML" sweep run lr1 --param x=1..3 --minimize y --trials 1 -- echo y={x}
for command in status resume delete; do
  contains "$(complete_words kml sweep $command l)" "lr1"
done
contains "$(complete_words kml logs --sweep l)" "lr1"
[ -z "$(complete_words kml --context nowhere logs he)" ] || fail "jobs of another context are completed"
[ -z "$(complete_words kml local daemon)" ] || fail "a hidden command is completed"
"$KML" completion zsh | head -1 | grep -q '#compdef kml'
"$KML" completion fish | grep -q "complete -c kml"
! grep -qwE 'path|words' kml.bash || fail "names that zsh has for itself: path is its PATH"
