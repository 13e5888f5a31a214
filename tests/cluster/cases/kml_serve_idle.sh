. "$(dirname "$0")/lib.sh"
# With kml serve --idle on a cluster, requests go to a pod of kml's own image, which scales the Deployment to zero and
# back.
kml() { timeout 1000 "$KML" "$@"; }
b=/bin/busybox
serve() { kml serve web --image localhost/busybox:1 --node-selector kubernetes.io/hostname=node1 "$@"; }
page() { echo "trap exit TERM; mkdir -p /tmp/www && echo $1 >/tmp/www/index.html; $b httpd -f -p \$PORT -h /tmp/www & wait"; }
expect 2 serve --idle 2s -- $b sh -c "$(page one)"
contains "$err" "on a cluster, --idle needs --engine-image"
need_engine_image
expect 0 serve -- $b sh -c "$(page one)"
expect 0 serve --idle 2s --engine-image "$image" -- $b sh -c "$(page two)"
contains "$out" "http://web.$namespace:8080"
get() { cluster kubectl get --raw "/api/v1/namespaces/$namespace/services/web:8080/proxy/"; }
sleeps() { kml serve list | grep -q 'scaled to zero after 2s without a request'; }
eventually sleeps
expect 0 kml why web
[ "$out" = "web: scaled to zero after 2s without a request" ] || fail "$out"
expect 0 get
[ "$out" = two ] || fail "$out"

# A revision with another --port, and the earlier revision after a rollback, are reached through the activator
# as before.
expect 0 serve --idle 2s --port 9090 --engine-image "$image" -- $b sh -c "$(page other)"
for state in running asleep; do
  [ $state = running ] || eventually sleeps
  expect 0 get
  [ "$out" = other ] || fail "$state: $out"
done
expect 3 serve --idle 2s --port 9191 --engine-image "$image" -- $b sh -c 'exit 7'
contains "$err" "rolled back to the previous revision"
expect 0 get
[ "$out" = other ] || fail "$out"
expect 0 kml serve rollback web
answers_two() { [ "$(get)" = two ]; } # the replica that stops may still answer
eventually answers_two

# Sends several requests at once, through kml port, to a Deployment that is scaled to zero. A rollback also starts it.
eventually sleeps
timeout 1000 "$KML" port web :8080 >"$work/port" 2>"$work/port.err" & forward=$!
is_open() { [ -s "$work/port" ]; }
eventually is_open
address=$(grep -o '127.0.0.1:[0-9]*' "$work/port" | head -n 1)
for i in 1 2 3 4; do curl -sS --max-time 1000 "http://$address/" >"$work/page$i" & pages[i]=$!; done
for i in 1 2 3 4; do wait "${pages[i]}"; [ "$(cat "$work/page$i")" = two ] || fail "page $i: $(cat "$work/page$i")"; done

# A slow response keeps the model running, even if it sends nothing for longer than the idle limit.
slow="mkdir -p /tmp/www/cgi-bin; echo '#!$b sh' >/tmp/www/cgi-bin/slow; echo \"echo; echo begun; while [ ! -e /tmp/go ]; do $b sleep 1; done; echo ended\" >>/tmp/www/cgi-bin/slow; $b chmod +x /tmp/www/cgi-bin/slow"
expect 0 serve --idle 2s -- $b sh -c "${slow//mkdir/$b mkdir}; $(page slow)"
curl -sSN --max-time 1000 "http://$address/cgi-bin/slow" >"$work/slow" & slow=$!
begins() { grep -q begun "$work/slow"; }
eventually begins
sleep 6 # three times the idle limit
expect 0 kml serve list
contains "$out" Running
expect 0 kml serve status web
replica=$(grep -o '^web-[a-z0-9-]* .*Running' <<<"$out" | cut -d' ' -f1)
k exec "$replica" -- $b touch /tmp/go
wait $slow || fail "the response was cut: $(cat "$work/slow")"
grep -q ended "$work/slow" || fail "$(cat "$work/slow")"
eventually sleeps
expect 0 kml serve rollback web --revision 1
expect 0 get
[ "$out" = one ] || fail "$out"

# The activator's pod is killed; the next one continues.
eventually sleeps
k delete pod -l kml.dev/activator=web --force --grace-period=0 >/dev/null 2>&1
answers() { [ "$(curl -sS --max-time 1000 "http://$address/")" = one ]; }
eventually answers
kill $forward; wait $forward || true

# Without its rights, the activator does not run, and kml why says so. Serving again restores its rights.
k delete rolebinding web-activator >/dev/null
k delete pod -l kml.dev/activator=web --force --grace-period=0 >/dev/null 2>&1
broken() { kml why web 2>&1 | grep -A 9 'its activator does not run' | grep -q 'forbidden'; }
eventually broken
expect 0 serve --idle 2s -- $b sh -c "$(page one)"
eventually sleeps
expect 0 kml why web
[ "$out" = "web: scaled to zero after 2s without a request" ] || fail "$out"
expect 0 get
expect 3 serve --idle 2s --engine-image localhost/none:1 -- $b sh -c "$(page one)"
contains "$err" "web runs, but its activator does not"
expect 0 kml why web
contains "$out" "its activator does not run"
contains "$out" "localhost/none:1"

# If the model crashes when a request starts it, the client gets the cause. With --idle 0, the Service leads to the pods
# again.
expect 0 serve --idle 2s --engine-image "$image" -- $b sh -c "[ -z \"\$BROKEN\" ] || exit 7; $(page three)"
eventually sleeps
k set env deployment/web BROKEN=1 >/dev/null
crashes() { got=$(curl -sS --max-time 1000 "http://$1/" || true); [[ "$got" == *"crashed with exit code 7"* ]]; }
timeout 1000 "$KML" port web :8080 >"$work/port2" 2>"$work/port2.err" & forward=$!
is_open2() { [ -s "$work/port2" ]; }
eventually is_open2
eventually crashes "$(grep -o '127.0.0.1:[0-9]*' "$work/port2" | head -n 1)"
kill $forward; wait $forward || true
expect 0 serve --idle 0 -- $b sh -c "$(page four)"
[ "$(k get service web -o 'jsonpath={.spec.selector.kml\.dev/serve}')" = web ] || fail "$(k get service web -o yaml)"
answers_four() { [ "$(get)" = four ]; }
eventually answers_four

# Deleting the model deletes its Deployments, its account and its rights.
expect 0 kml serve stop web
gone() { [ -z "$(k get deployments,services,roles,rolebindings,serviceaccounts -o name | grep web)" ]; }
eventually gone
