. "$(dirname "$0")/lib.sh"
# `kml dev` on a real node: a session ends without activity, and traffic through a port or an input keeps it.
kml() { timeout 150 "$KML" "$@"; }
b=/bin/busybox
limit=12 traffic=30
for name in port input quiet; do
  expect 0 kml dev $name "${on_node1[@]}" --idle ${limit}s --detach -- $b nc -ll -p 8080 -e $b cat
done
for name in port input quiet; do expect 0 kml wait $name --for=running --timeout 120s; done
listens() { "$KML" exec $1 -- $b sh -c 'grep -q :1F90 /proc/net/tcp /proc/net/tcp6'; }
for name in port quiet; do eventually listens $name; done

# `quiet` has an open connection too, over which nothing comes.
for name in port quiet; do
  "$KML" port $name :8080 >"$work/$name" 2>"$work/$name.err" & forwards+=($!)
  eventually grep -q . "$work/$name"
done
local_port() { sed -n '1s/^127.0.0.1:\([0-9]*\) .*/\1/p' "$work/$1"; }
exec 5<>"/dev/tcp/127.0.0.1/$(local_port port)" 6<>"/dev/tcp/127.0.0.1/$(local_port quiet)"
cat <&5 >/dev/null & forwards+=($!)
until=$(($(date +%s) + traffic))
trap '' PIPE # which would end this script without an error
while [ "$(date +%s)" -lt $until ]; do printf '%0200d\n' 0; sleep 0.5; done |
  tee >(cat >&5) | kml exec -i input -- $b sh -c "$b cat >/dev/null"
for name in port input quiet; do expect 0 kml wait $name --timeout 150s; done
ended() { date +%s -d "$(k get job $1 -o jsonpath='{.status.completionTime}')"; }
for name in port input; do
  [ "$(ended $name)" -ge $until ] || fail "$name ended at $(ended $name), with traffic until $until: $(cat "$work/port.err")"
done
[ "$(ended quiet)" -lt $until ] || fail "quiet ended at $(ended quiet), not before $until"
contains "$("$KML" logs quiet)" "no activity for"
exec 5>&- 6>&-
kill "${forwards[@]}" 2>/dev/null || true
