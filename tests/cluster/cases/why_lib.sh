# Sourced by the cases of kml why after lib.sh: what it says of a job, and the commands that it names.
why() { "$KML" why "$@"; }
code_of() { why "$1" | sed -n 's/^  cause *//p'; }
has_code() { [ "$(code_of "$1")" = "$2" ]; }
# says JOB CODE [TEXT]: waits for that cause, and shows the screen, for who reads the log of this test.
says() {
  eventually has_code "$1" "$2" || fail "no $2: $(why "$1")"
  why "$1" | tee "$work/screen"
  [ -z "${3:-}" ] || contains "$(cat "$work/screen")" "$3"
}
# Runs the command of the verdict that begins so.
remedy() { # JOB BEGIN
  local command
  command=$(why "$1" | sed -n "s/^ *\(next\)\? *\($2 .*\)/\2/p" | head -1)
  [ -n "$command" ] || fail "no command $2: $(why "$1")"
  kml() { "$KML" "$@"; }
  kubectl() { cluster kubectl "$@"; }
  eval "$command" >/dev/null
}
is_running() { has_code "$1" running; }
runs() { eventually is_running "$1" || fail "does not run: $(why "$1")"; }
