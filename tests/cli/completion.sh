. "$(dirname "$0")/lib.sh"
"$KML" completion bash >kml.bash
kml() { "$KML" "$@"; }
export -f kml
export KML
complete_words() {
  bash -c '. ./kml.bash
    COMP_LINE="$*" COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    COMP_LINE=${COMP_LINE// = /=}
    compopt() { echo "default"; }
    _kml; echo "${COMPREPLY[*]}"' bash "$@"
}
# On a busy machine, the server may answer too late for a TAB, which then offers nothing.
offers() { # WANTED WORDS...
  local wanted=$1; shift
  offers_it() { complete_words "$@" | tee "$work/offered" | grep -qF -- "$wanted" || { cat "$work/offered"; false; }; }
  eventually offers_it "$@"
}
contains "$(complete_words kml sub)" "submit"
contains "$(complete_words kml local do)" "down"
contains "$(complete_words kml submit --gp)" "--gpus"
contains "$(complete_words kml list -o js)" "json"
contains "$(complete_words kml list --output = js)" "json"
contains "$(complete_words kml submit --dry-run = '')" "server"
contains "$(complete_words kml submit -t py)" "pytorchjob"
contains "$(complete_words kml template show jo)" "job"
contains "$(complete_words kml list --context lo)" "local"
expect 0 "$KML" submit --name here --follow -- true # logs are offered for jobs that have begun
offers here kml logs he
expect 0 "$KML" sweep run lr1 --param x=1..3 --minimize y --trials 1 -- echo y={x}
for command in status resume delete; do
  offers lr1 kml sweep $command l
done
offers lr1 kml logs --sweep l
[ -z "$(complete_words kml --context nowhere logs he)" ] || fail "jobs of another context are completed"
[ -z "$(complete_words kml local daemon)" ] || fail "a hidden command is completed"
# Flags are not offered among names. The first word of the program is completed with the names of programs on this
# machine.
[[ "$(complete_words kml logs '')" != *--follow* ]] || fail "flags among the names of jobs"
for command in submit queue "local image" version; do
  [ -z "$(complete_words kml $command '')" ] || fail "something is offered where kml $command takes no word"
done
contains "$(complete_words kml submit -- bas)" "bash"
contains "$(complete_words kml submit -f '')" "default" # files, by the shell itself
contains "$(complete_words kml logs --since 1h -)" "--follow"
contains "$(complete_words kml list --state fa)" "failed"
contains "$(complete_words kml cancel --sort ne)" "newest"
for flag in --limit --user --since -l; do
  [ -z "$(complete_words kml list $flag '')" ] || fail "files as values of $flag"
done
