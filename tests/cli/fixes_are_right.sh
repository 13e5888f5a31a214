# The text after `fix:` is right: it names only flags that the command has, suggests no word that is as wrong
# as the typed one, and starts nothing unintended. Suggestions stand under `fix:`, not under `why:`.
. "$(dirname "$0")/lib.sh"

# refused COMMAND...: checks that the command is rejected, and that its suggestion is a fix.
refused() {
  expect 2 "$@"
  ! grep -q '^ *why: did you mean' <<<"$err" || fail "a suggestion as a cause: $*"$'\n'"$err"
  fix=$(sed -n 's/^ *fix: //p' <<<"$err")
  [ -n "$fix" ] || fail "no fix: $*"$'\n'"$err"
}
# fix_lacks PART
fix_lacks() { [[ "$fix" != *"$1"* ]] || fail "fix: $fix"; }

refused "$KML" serve nosuch digits
contains "$err" '"nosuch" is not a command of `kml serve`'
fix_lacks ' -- '
refused "$KML" serve digits ./serve.sh
contains "$fix" 'kml serve digits -- ./serve.sh'

refused "$KML" submit --gpu 1 -- true
contains "$fix" 'did you mean "--gpus"?'
fix_lacks '"--"'
refused "$KML" submit --naem x --gpsu 2 -- true
contains "$fix" 'did you mean "--name", "--gpus"?'
refused "$KML" submit --nosuchflag 1 -- true
contains "$fix" 'follows "--"'

# kml suggests two dashes for a long flag that has only one. It does not read -name as the short flag -n with
# the value "ame", because that would be another namespace.
for command in "dev -name x" "submit -name=x -- true" "logs x -tail 3"; do
  refused "$KML" $command
  contains "$fix" 'did you mean "--'
done
refused "$KML" runs --sort loss 'm-*'
fix_lacks compare
contains "$err" 'unexpected argument "m-*"'

# A flag is never suggested in place of itself.
refused "$KML" logs --name x
fix_lacks 'did you mean'
fix_lacks '"--name"'

# If the first words are the name of a command, as below, they are not submitted, served or started.
for command in "submit logs bert" "submit why bert" "serve why bert" "serve bert stop" "sweep run status s" "sweep run stop s" \
  "dev attach bert" "dev ssh bert" "dev exec bert" "run why r1" "run r1 logs"; do
  # shellcheck disable=SC2086
  refused "$KML" $command
  for start in 'kml submit' 'kml serve bert' 'kml sweep run' 'kml dev' 'kml run why'; do fix_lacks "$start"; done
done
for command in stop status logs revisions rollback; do
  expect 1 "$KML" serve $command typo
  contains "$err" "has no served program typo"
  fix=$(sed -n 's/^  fix: //p' <<<"$err")
  contains "$fix" 'kml serve list'
  fix_lacks ' -- '
done

# A command's fix names only flags that the command has.
for command in logs wait cancel delete suspend resume; do
  refused "$KML" $command
  help=$("$KML" $command --help)
  for flag in $(grep -oE -- '--[a-z][a-z-]*' <<<"$fix"); do
    grep -qe "$flag" <<<"$help" || fail "kml $command has no $flag: $fix"
  done
done

# Tests names of objects.
"$KML" submit --name trainer -- true 2>/dev/null
for command in why logs status cancel; do
  expect 1 "$KML" $command trainr
  contains "$(grep 'fix:' <<<"$err")" 'did you mean "trainer"?'
done
refused "$KML" run cancel nosuch
refused "$KML" sweep status nosuch
