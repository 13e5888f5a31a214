. "$(dirname "$0")/lib.sh"
# Tests `kml port` to a server in a pod on a real node: many connections at once, a port without a listener, and the
# rank's next pod.
b=/bin/busybox
expect 0 "$KML" submit --name web "${on_node1[@]}" --retries 3 -- $b sh -c \
  "echo TensorBoard 2 at http://localhost:8080/name; mkdir -p /tmp/www || $b mkdir -p /tmp/www; cd /tmp/www; $b seq 1 200000 >large; echo \$HOSTNAME >name; $b httpd -f -p 8080 -h /tmp/www"
answers() { timeout 100 "$KML" exec web/0 -- $b wget -qO- http://127.0.0.1:8080/name; }
eventually answers
"$KML" port web :8080 :9 >"$work/ports" 2>"$work/notes" & forward=$!
eventually grep -q 'port 9$' "$work/ports"
port=$(sed -n 's/^127.0.0.1:\([0-9]*\) -> .* port 8080$/\1/p' "$work/ports")
refused=$(sed -n 's/^127.0.0.1:\([0-9]*\) -> .* port 9$/\1/p' "$work/ports")
get() { curl -sS --max-time 1000 "http://127.0.0.1:$port/$1"; }
want=$(seq 1 200000 | sha256sum)
[ "$(get large | sha256sum)" = "$want" ] || fail "large: $(cat "$work/notes")"
[ "$(curl -gsS --max-time 1000 "http://[::1]:$port/name")" = "$(get name)" ] || fail "not on ::1"

# Opens the page that the program's log names, at a free port if the named one is in use.
"$KML" open web >"$work/page" 2>"$work/notes" & page=$!
eventually grep -q '^http://127.0.0.1:[0-9]*/name$' "$work/page"
[ "$(curl -sS --max-time 1000 "$(cat "$work/page")")" = "$(get name)" ] || fail "open: $(cat "$work/page" "$work/notes")"
kill -TERM $page; wait $page || true

# No process listens on port 9. That connection is closed, the others are not.
got=0; curl -sS --max-time 1000 "http://127.0.0.1:$refused/" 2>/dev/null || got=$?
[ "$got" = 52 ] || [ "$got" = 56 ] || fail "a refused port: curl exits $got"
eventually grep -q "connection refused: no program listens on it" "$work/notes"
! grep -q "network namespace" "$work/notes" || fail "the kubelet's own words: $(cat "$work/notes")"

# Many requests are sent at the same time, and none is lost.
seq 40 | xargs -P 20 -I{} curl -sS --max-time 1000 -o "$work/got-{}" "http://127.0.0.1:$port/large"
for i in $(seq 40); do [ "$(sha256sum <"$work/got-$i")" = "$want" ] || fail "request $i"; done

# A client that does not read delays no other client.
exec 8<>"/dev/tcp/127.0.0.1/$port"; printf 'GET /large HTTP/1.0\r\n\r\n' >&8
[ "$(get large | sha256sum)" = "$want" ] || fail "beside a slow one"
exec 8>&-

# The rank's new pod is reached at the same port.
first=$(get name)
k delete pod -l batch.kubernetes.io/job-name=web --grace-period=1 >/dev/null
eventually answers
second() { local name; name=$(get name) && [ -n "$name" ] && [ "$name" != "$first" ]; }
eventually second

kill -TERM $forward
got=0; wait $forward || got=$?
[ "$got" = 130 ] || fail "exit $got: $(cat "$work/notes")"
