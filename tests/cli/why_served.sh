. "$(dirname "$0")/lib.sh"
# If a job waits for the GPU of a served program, `kml why` names the program and the command that stops it.
# After that command, the job starts, and the tables below no longer show the program.
"$KML" local up --fake-gpus 1 >/dev/null 2>&1
cat >serve.py <<'P'
import http.server, os
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), http.server.SimpleHTTPRequestHandler).serve_forever()
P
expect 0 timeout 1000 "$KML" serve iris --gpus 1 --chdir "$work" -- python3 serve.py
expect 0 timeout 1000 "$KML" top nodes
contains "$out" " 1 iris"
expect 0 "$KML" submit --name waits --gpus 1 -- sleep 1000
names_it() { "$KML" why waits | grep -q 'held by  *served program iris'; }
eventually names_it
expect 0 "$KML" why waits
contains "$out" "wait, or free enough by stopping served program iris"
expect 0 "$KML" submit --test-only --gpus 1 -- true
contains "$out" "held by served program iris"

# The command is carried out as it is printed. While the replica stops, the job that waits is the first in the queue.
command=$("$KML" why waits -o jsonpath='{.cause.remedies[0].command}')
[ "$command" = "kml serve stop iris" ] || fail "$command"
expect 0 timeout 1000 "$KML" ${command#kml }
runs() {
  "$KML" queue --no-headers >now
  ! grep -Eq '^[0-9]+ .*iris' now || fail "a replica that stops is said to wait: $(cat now)"
  grep -q 'waits .* Running ' now
}
eventually runs
for table in "list" "queue" "top nodes" "serve list"; do
  expect 0 timeout 100 "$KML" $table
  [[ $out != *iris* ]] || fail "$table: $out"
done
