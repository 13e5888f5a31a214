# Commands that kml prints have the flags that selected the server, so they can be pasted. Texts that only
# mention kml do not change.
. "$(dirname "$0")/lib.sh"
# prints FLAGS COMMAND...: checks that, with these flags of kml, standard error has the text `wanted`.
prints() {
  local wanted=$1 code=$2
  shift 2
  expect "$code" "$KML" --context local -n research "$@"
  contains "$err" "$wanted"
}
echo '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research"}}' | "$KML" submit -f - >/dev/null 2>&1
prints '`kml --context local -n research list` shows the jobs there' 1 status bert
prints '`kml --context local -n research schedule list` shows the schedules there' 1 schedule pause bert
expect 0 "$KML" --context local -n research submit --name bert -- sleep 1000
prints '`kml --context local -n research status bert` shows details' 5 wait bert --timeout 0s
prints 'kml --context local -n research exec bert -- nvidia-smi' 2 exec bert
prints '(kml --context local -n research sweep best a)' 0 sweep run a --param x=1,2 --minimize y -- sh -c 'echo y={x}'
expect 0 "$KML" --context local -n research why bert
contains "$out" "kml --context local -n research logs -f bert"
# Without these flags, or with its own -n, a command is unchanged.
expect 1 "$KML" status bert
contains "$err" '`kml list` shows'
