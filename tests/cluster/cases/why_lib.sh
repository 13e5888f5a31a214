# Sourced after lib.sh by the cases of kml why: functions that check its verdicts, and that run the commands that it prints.
why() { "$KML" why "$@"; }
# says JOB CODE [TEXT]: waits for a verdict with both, and prints it to the log of this test.
says() {
  (eventually shows "$@") || fail "no $*: $(why "$1")"
  cat "$work/screen"
}
shows() { why "$1" >"$work/screen" && grep -q "^  cause *$2\$" "$work/screen" && grep -qF -- "${3:-}" "$work/screen"; }
# Runs COMMAND as an administrator, if a remedy of the verdict asks for one.
administrator() { # JOB WORDS COMMAND...
  [[ "$(why "$1" -o json)" == *"$2\""* ]] || fail "no \"$2\": $(why "$1")"
  cluster kubectl "${@:3}" >/dev/null
}
# Runs the verdict's command that starts with BEGIN.
remedy() { # JOB BEGIN
  local command
  command=$(why "$1" | sed -n "s/^ *\(next\)\? *\($2 .*\)/\2/p" | head -1)
  [ -n "$command" ] || fail "no command $2: $(why "$1")"
  kml() { "$KML" "$@"; }
  kubectl() { cluster kubectl "$@"; }
  eval "$command" >/dev/null
}
runs() { says "$1" running; }
