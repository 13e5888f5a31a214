# `kml dev`: a shell in a job that stops by itself when nothing happens in it.
. "$(dirname "$0")/lib.sh"
kml() { timeout 1000 "$KML" "$@"; }
mine=dev-$(id -un)
said() { contains "$("$KML" logs "$1")" "$2"; }

# The job stays after the shell has ended, and the next `kml dev` returns to it.
expect 3 kml dev --env COLOR=red --idle 10m <<<'echo "$COLOR"; exit 3'
[ "$out" = "job $mine submitted"$'\nred' ] || fail "$out"
contains "$err" "session $mine continues"
expect 0 kml dev <<<'echo "$COLOR"'
[ "$out" = red ] || fail "$out"
contains "$err" "returning to session $mine"
expect 0 kml cancel $mine

# When the server is stopped, a session is only suspended: the next `kml dev` starts it again.
expect 0 kml dev --detach
expect 0 kml local down --force
expect 0 kml dev --list
contains "$out" Suspended
expect 0 kml dev <<<'echo again'
[ "$out" = again ] || fail "$out"
contains "$err" "session $mine was suspended"
expect 0 kml dev --list
[[ $out == *Running* ]] || fail "$out"
expect 0 kml cancel $mine

# A session that has finished is replaced. A job that is not a session is not replaced.
expect 0 kml submit --name mine -- true
expect 2 kml dev mine <<<exit
contains "$err" "job mine is not a session"
expect 0 kml dev <<<'echo "${COLOR:-new}"'
contains "$out" new
expect 0 kml cancel $mine

# A session that cannot run is rejected with a message about kml dev.
expect 1 kml dev huge --cpu 9000
[[ $err == *"kml dev huge --cpu"* && $err != *"--no-check"* ]] || fail "$err"

# A session stays while a process uses the processor, and stops afterwards. Its job has the time limit from
# --max.
expect 0 kml dev busy --idle 5s --max 10m --detach -- sh -c \
  'until [ -e enough ]; do :; done; exec sleep 1000'
kml dev busy <<<'echo open; sleep 1000' >open 2>open.err & shell=$!
eventually grep -q open open
sleep 9
worked_until=$(date +%s)
touch enough
expect 0 kml wait busy --timeout 1000s
ended=$(date +%s -d "$("$KML" list -o jsonpath='{.items[?(@.metadata.name=="busy")].status.completionTime}')")
[ "$ended" -ge "$worked_until" ] || fail "it ended at $ended, while a process worked until $worked_until"
got=0; wait $shell || got=$?
[ "$got" = 0 ] || fail "a shell that the end of its session ended: $got, $(cat open.err)"
contains "$(cat open.err)" "session busy has ended: "
said busy "this session ends in "
said busy "no activity for 5 s: this session ends"
[ "$("$KML" list -o jsonpath='{.items[?(@.metadata.name=="busy")].spec.activeDeadlineSeconds}')" = 600 ] || fail "no time limit"

# The session also stays while a forwarded port has traffic, which uses almost no processor time. A connection
# without traffic does not keep the session.
cat >sink.py <<'PY'
import pathlib, socket, time
server = socket.create_server(("127.0.0.1", 0))
pathlib.Path("port").write_text(str(server.getsockname()[1]) + "\n")
server.setblocking(False)
while True:
    try:
        connection, _ = server.accept()
        break
    except BlockingIOError:
        pass  # at once again: until then, the processor's use keeps the session
connection.setblocking(True)
while connection.recv(65536):
    pass
time.sleep(1000)
PY
expect 0 kml dev read --idle 10s --detach -- python3 sink.py
eventually grep -q . port
timeout 1000 "$KML" port read ":$(cat port)" >ports 2>ports.err & client=$!
eventually grep -q . ports
exec 5<>"/dev/tcp/127.0.0.1/$(sed -n '1s/^127.0.0.1:\([0-9]*\) .*/\1/p' ports)"
read_until=$(($(date +%s) + 17))
trap '' PIPE # which would end this script without an error
while [ "$(date +%s)" -lt $read_until ]; do printf '%0100d' 0 >&5 || fail "the session ended during traffic"; sleep 0.5; done
expect 0 kml wait read --timeout 1000s
exec 5>&-
kill $client
wait $client || true
ended=$(date +%s -d "$("$KML" list -o jsonpath='{.items[?(@.metadata.name=="read")].status.completionTime}')")
[ "$ended" -ge "$read_until" ] || fail "it ended at $ended, with traffic until $read_until: $(cat ports.err)"
[ ! -s ports.err ] || fail "$(cat ports.err)"

# Errors about a session's time limit name the flag of kml dev.
expect 0 kml dev brief --max 1s --detach
expect 3 kml wait brief --timeout 1000s
expect 0 kml why brief
contains "$out" "kml dev brief --max TIME …"
[[ $out != *submit* ]] || fail "$out"

# kml dev can run a program in the session. The session then ends with the program, and kml reports the program's
# exit code.
expect 0 kml dev own --idle 60s --detach -- sh -c 'echo at work; sleep 1; exit 4'
expect 3 kml wait own --timeout 1000s
contains "$err" "exit code 4"
said own "at work"

# After suspend and resume, the session has its volume again.
if unshare --user --map-root-user --mount true 2>/dev/null; then
  cat >claim.yaml <<'Y'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: work}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
Y
  expect 0 kml submit -f claim.yaml
  expect 0 kml dev kept --grace 1s --mount pvc/work:/out <<<'echo precious >/out/file'
  expect 0 kml suspend kept
  is_gone() { ! "$KML" exec kept -- true 2>/dev/null; }
  eventually is_gone
  expect 0 kml resume kept
  expect 0 kml wait kept --for=running --timeout 1000s
  expect 0 kml dev kept <<<'cat /out/file'
  [ "$out" = precious ] || fail "after a resume: $out $err"
  expect 0 kml cancel kept
fi

expect 0 kml submit --name other -- true
expect 0 kml dev --list
[[ $out == *dev-* && $out != *other* ]] || fail "$out"

# The page of a notebook is forwarded.
mkdir bin
printf '#!/bin/sh\necho "http://127.0.0.1:8888/lab?token=t"\nexec sleep 10000\n' >bin/jupyter
chmod +x bin/jupyter
export PATH=$work/bin:$PATH
expect 2 kml dev --jupyter -- true
contains "$err" "--jupyter cannot be used with a command"
"$KML" dev page --jupyter >page 2>page.err & client=$!
eventually grep -q '^http://.*/lab?token=t$' page
kill $client
wait $client && fail "a signal ended it without 130" || [ $? = 130 ]
