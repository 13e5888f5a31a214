# A fork bomb only reaches its pod's limit: the server and its client still work, and the pod can be stopped. The test
# runs it inside a cgroup with a limit, in case the server's limit fails.
guard=$(sed -n 's/.* - cgroup .*[,]pids.*/&/p' /proc/self/mountinfo | awk '{print $5; exit}')
guard=$guard$(sed -n 's/^[0-9]*:pids://p' /proc/self/cgroup)/kml-test-$$
mkdir "$guard" 2>/dev/null && echo 1500 >"$guard/pids.max" || { echo "SKIPPED: no cgroup of version 1 with pids"; exit 77; }
echo $$ >"$guard/cgroup.procs"
. "$(dirname "$0")/lib.sh"
leave() {
  local status=$?
  echo $$ >"$guard/../cgroup.procs"
  "$KML" local down --force >/dev/null 2>&1 || true
  echo 0 >"$guard/pids.max"
  for _ in {1..100}; do
    while read -r pid; do kill -9 "$pid" 2>/dev/null || true; done <"$guard/cgroup.procs"
    rmdir "$guard" 2>/dev/null && break
    sleep 0.05
  done
  finish $status
}
trap leave EXIT

cat >bomb.py <<'EOF'
import os, time
while True:
    try:
        os.fork()
    except OSError:
        open("full", "w").close()
        time.sleep(0.05)
EOF
expect 0 "$KML" local up --pod-max-pids 150
expect 0 "$KML" submit --name bomb --grace 1s -- python3 bomb.py
eventually test -e full
expect 0 "$KML" status bomb
contains "$out" Running
[ "$(cat "$guard/pids.current")" -lt 400 ] || fail "$(cat "$guard/pids.current") processes"
expect 0 "$KML" cancel bomb
expect 3 "$KML" wait bomb --timeout 1000s
while read -r pid; do
  ! grep -q bomb.py "/proc/$pid/cmdline" 2>/dev/null || fail "process $pid of the bomb is left"
done <"$guard/cgroup.procs"
[ "$(cat "$guard/pids.max")" = 1500 ] && [ "$(cut -d' ' -f2 "$guard/pids.events")" = 0 ] || fail "the guard had to hold it"
expect 2 "$KML" local up --pod-max-pids 0
