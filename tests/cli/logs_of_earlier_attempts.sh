# The log of a suspended attempt is shown before that of the next one, and is deleted with the job.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name twice -- sh -c 'if [ -e go ]; then echo second; else echo first; exec sleep 1000; fi'
said() { "$KML" logs twice | grep -q first; }
eventually said
expect 0 "$KML" suspend twice
is_suspended() { "$KML" list | grep -q 'twice .*Suspended' && [ -z "$(pgrep -f 'echo second; else')" ]; }
eventually is_suspended
expect 0 "$KML" logs twice
[ "$out" = first ] || fail "of a suspended job: $out"
touch go
expect 0 "$KML" resume twice
expect 0 "$KML" wait twice --timeout 1000s
expect 0 "$KML" logs twice
[ "$(echo "$out" | grep -o 'first\|second' | xargs)" = "first second" ] || fail "$out"
expect 0 "$KML" delete twice
no_files() { [ -z "$(ls "$XDG_STATE_HOME/kml/local/pods")" ]; }
eventually no_files
