. "$(dirname "$0")/lib.sh"
# Tests `kml dev` on a real node: an idle session ends, but traffic through a port or an input prevents this.
kml() { timeout 1000 "$KML" "$@"; }
b=/bin/busybox
start() { # NAME
  expect 0 kml dev "$1" "${on_node1[@]}" --idle 60s --detach -- $b nc -ll -p 8080 -e $b cat
  expect 0 kml wait "$1" --for=running --timeout 1000s
}
forward() { # NAME: sets `local_port`
  listens() { kml exec "$1" -- $b sh -c 'grep -q :1F90 /proc/net/tcp /proc/net/tcp6'; }
  eventually listens "$1"
  "$KML" port "$1" :8080 >"$work/$1" 2>"$work/$1.err" & background+=($!)
  eventually grep -q . "$work/$1"
  local_port=$(sed -n '1s/^127.0.0.1:\([0-9]*\) .*/\1/p' "$work/$1")
}
traffic() { until [ -e over ]; do printf '%0200d\n' 0; sleep 0.5; done; }
trap '' PIPE # which would end this script without an error

start port
forward port
exec 5<>"/dev/tcp/127.0.0.1/$local_port"
cat <&5 >/dev/null & background+=($!)
traffic >&5 & background+=($!)
start input
traffic | "$KML" exec -i input -- $b sh -c "$b cat >/dev/null" & background+=($!)
# `quiet` has an open connection, too, but without traffic.
start quiet
forward quiet
exec 6<>"/dev/tcp/127.0.0.1/$local_port"

# The other two sessions started before this one.
expect 0 kml wait quiet --timeout 1000s
contains "$("$KML" logs quiet)" "no activity for"
for name in port input; do
  [ "$(k get job $name -o jsonpath='{.status.ready}')" = 1 ] || fail "$name has ended: $("$KML" logs $name; cat "$work/port.err")"
done
touch over
exec 5>&- 6>&-
kill "${background[@]}" 2>/dev/null || true
