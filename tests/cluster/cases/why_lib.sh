# Sourced by the cases of kml why after lib.sh: what it says of a job, and the commands that it names.
why() { "$KML" why "$@"; }
# says JOB CODE [TEXT]: waits for one screen with both, and shows it, for who reads the log of this test.
says() {
  (eventually shows "$@") || fail "no $*: $(why "$1")"
  cat "$work/screen"
}
shows() { why "$1" >"$work/screen" && grep -q "^  cause *$2\$" "$work/screen" && grep -qF -- "${3:-}" "$work/screen"; }
# Runs the command of the verdict that begins so.
remedy() { # JOB BEGIN
  local command
  command=$(why "$1" | sed -n "s/^ *\(next\)\? *\($2 .*\)/\2/p" | head -1)
  [ -n "$command" ] || fail "no command $2: $(why "$1")"
  kml() { "$KML" "$@"; }
  kubectl() { cluster kubectl "$@"; }
  eval "$command" >/dev/null
}
runs() { says "$1" running; }
