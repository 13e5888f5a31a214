# A server that does not answer: commands say that they wait, and for what, and `local status` does not report it as
# running.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up
expect 0 "$KML" local status -o 'jsonpath={.running} {.responds}'
[ "$out" = "true true" ] || fail "$out"
expect 0 "$KML" submit --name job -- sleep 1000
server=$(cat "$XDG_STATE_HOME/kml/local/server.pid")
kill -STOP "$server"
expect 0 "$KML" local status
[ "$(head -n 1 <<<"$out")" = "not responding" ] || fail "$out"
contains "$out" "$server"
contains "$err" "kml local down --force"
expect 0 "$KML" local status -o 'jsonpath={.running} {.responds} {.process}'
[ "$out" = "false false $server" ] || fail "$out"
commands=(list "list nodes" queue "why job" "status job" history "history job" runs "logs job" "logs --metrics job"
  timeline "eff job" usage "top jobs" "top nodes" "schedule list" "serve list" "wait job --for running" "dev --list" doctor)
for i in "${!commands[@]}"; do
  "$KML" ${commands[i]} >"out.$i" 2>"err.$i" &
  waiting[i]=$!
done
for i in "${!commands[@]}"; do eventually grep -q "the embedded server does not respond" "err.$i"; done
kill -CONT "$server"
for i in "${!commands[@]}"; do
  wait "${waiting[i]}" || fail "kml ${commands[i]}: exit $?: $(cat "err.$i")"
  [ "$(grep -c "does not respond" "err.$i")" = 1 ] || fail "kml ${commands[i]}: $(cat "err.$i")"
done
expect 0 "$KML" local status
[ "$(head -n 1 <<<"$out")" = running ] || fail "$out"
