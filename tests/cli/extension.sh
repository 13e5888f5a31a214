# kml-NAME on PATH is the command NAME, unless kml itself has that command. Completion offers it without running it.
. "$(dirname "$0")/lib.sh"
mkdir -p bin here
cat >bin/kml-greet <<'SH'
#!/bin/sh
touch ran
printf '%s|' "$@"
exit 7
SH
printf '#!/bin/sh\ntouch ran; echo not the real one\n' >bin/kml-version
cp bin/kml-greet here/kml-near
cp bin/kml-greet bin/kml-plain
chmod +x bin/kml-greet bin/kml-version here/kml-near
chmod -x bin/kml-plain
PATH=$work/bin:here::.:$PATH
expect 0 "$KML" __complete -- gre
contains "$out" greet
expect 0 "$KML" __complete -- ne
[[ "$out" != *near* ]] || fail "$out"
[ ! -e ran ] || fail "completion ran it"
expect 7 "$KML" greet --flag 'two words' '$(touch pwned)' -- x
[ "$out" = '--flag|two words|$(touch pwned)|--|x|' ] || fail "$out"
[ ! -e pwned ] || fail "a shell ran"
rm ran
expect 0 "$KML" version
[[ "$out" != *"not the real one"* ]] || fail "an extension hides a command"
for name in near plain ../bin/greet nothing; do
  expect 2 "$KML" $name
  contains "$err" "unknown command"
done
expect 2 "$KML" -n other greet
contains "$err" "flags cannot precede greet"
[ ! -e ran ] || fail "it was run"
# An alias takes precedence over an extension.
expect 0 "$KML" config alias greet -- version
expect 0 "$KML" greet
[ ! -e ran ] || fail "it was run"
