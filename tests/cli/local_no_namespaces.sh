# Runs the test again without permission to create namespaces: in a user namespace that forbids further ones.
if unshare --user true 2>/dev/null; then
  exec unshare --user --map-user=65534 --map-group=65534 --keep-caps sh -c \
    'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all bash "$0"' "$0"
fi
. "$(dirname "$0")/lib.sh"

# A job without volumes runs, and processes that it leaves in other sessions end with it.
cat >leaver.py <<'EOF'
import os, sys, time
for name in "one", "two":
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        open(name, "w").write(f"{os.getpid()}\n")
        time.sleep(1000)
while not all(os.path.exists(name) and os.path.getsize(name) for name in ("one", "two")):
    time.sleep(0.01)
if sys.argv[1:] == ["stay"]:
    time.sleep(1000)
print("done")
EOF
gone() { ! kill -0 "$(cat one)" 2>/dev/null && ! kill -0 "$(cat two)" 2>/dev/null; }
expect 0 "$KML" submit --name leaver --follow -- python3 leaver.py
contains "$out" "done"
gone || fail "processes are left after the end"
rm one two
expect 0 "$KML" submit --name stayer --grace 1s -- python3 leaver.py stay
eventually test -s two
eventually test -s one
expect 0 "$KML" cancel stayer
expect 3 "$KML" wait stayer --timeout 1000s
gone || fail "processes are left after a cancel"

# A volume is rejected, with its path in the message, unless it already is at that path.
cat >volume.yaml <<EOF
apiVersion: batch/v1
kind: Job
metadata: {name: volume}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: data, hostPath: {path: $work}}]
      containers:
      - {name: main, image: any, command: [ls], volumeMounts: [{name: data, mountPath: /no-such/data}]}
EOF
expect 0 "$KML" submit -f volume.yaml
expect 3 "$KML" wait volume --timeout 1000s
expect 0 "$KML" status volume
contains "$out" "cannot mount host folder \"$work\" at /no-such/data: user and mount namespaces are not permitted on this machine"
sed "s|/no-such/data|$work|; s|name: volume|name: same-path|; s|\[ls\]|[ls, $work]|" volume.yaml >same.yaml
expect 0 "$KML" submit -f same.yaml --follow
contains "$out" "leaver.py"

# Without namespaces, too, the processes of a killed shim end, and the job is retried as after any disruption.
rm one two
expect 0 "$KML" submit --name orphan -- python3 leaver.py stay
eventually test -s two
eventually test -s one
first="$(cat one two)"
parent() { awk '{print $4}' "/proc/$1/stat"; }
kill -9 "$(parent "$(parent "$(cat one)")")" # the shim: the parent of the keeper
again() { [ -s one ] && [ -s two ] && [ "$(cat one two)" != "$first" ]; }
eventually again
for pid in $first; do ! kill -0 "$pid" 2>/dev/null || fail "process $pid outlived its shim"; done
expect 0 "$KML" cancel orphan

# If a program stops its shim permanently, the shim ends with its pod after the grace period.
cat >freezer.sh <<'EOF2'
parent() { awk '{print $4}' "/proc/$1/stat"; }
shim=$(parent "$(parent $$)")
kill -STOP "$shim"
echo $$ >frozen
sleep 1000
EOF2
expect 0 "$KML" submit --name freezer --grace 1s -- sh freezer.sh
eventually test -s frozen
expect 0 "$KML" cancel freezer
expect 3 "$KML" wait freezer --timeout 1000s
! kill -0 "$(cat frozen)" 2>/dev/null || fail "its program goes on"

# kml doctor says so. Without the program unshare, it says that it does not know.
expect 0 "$KML" doctor
contains "$out" "cannot create a namespace here"
expect 0 env PATH="$work/nothing" "$KML" doctor
contains "$out" "unknown: the program unshare"
[[ "$out" != *"are not permitted"* ]] || fail "$out"
