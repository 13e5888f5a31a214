# For a user who cannot create cgroups, the limit of processes still applies, and kml warns that a memory limit does
# not.
if [ "$(id -u)" = 0 ]; then
  setpriv --reuid=64123 --regid=64123 --clear-groups test -x "$KML" 2>/dev/null || { echo "SKIPPED: no other user"; exit 77; }
  exec setpriv --reuid=64123 --regid=64123 --clear-groups bash "$0"
fi
. "$(dirname "$0")/lib.sh"
cat >forker.py <<'EOF'
import os, time
count = 0
try:
    while count < 300:
        if os.fork() == 0:
            time.sleep(1000)
        count += 1
except OSError as error:
    print("stopped:", error.strerror)
EOF
chmod 755 "$work"
expect 0 "$KML" local up --pod-max-pids 200
expect 0 "$KML" submit --name forker --memory 64Mi --follow -- python3 forker.py
contains "$out" "stopped: Resource temporarily unavailable"
"$KML" local kubeconfig >config
url=$(sed -n 's/.*server: //p' config) token=$(sed -n 's/.*token: //p' config | tr -d '"')
curl -sSk -H "Authorization: Bearer $token" "$url/api/v1/namespaces/default/events" >events.json
if grep -q MemoryLimitNotEnforced events.json; then
  contains "$(cat events.json)" "resources.limits.memory is not enforced"
else # this user can enforce the limit
  grep -q memory /proc/self/cgroup || fail "nothing tells that the memory limit is not enforced"
fi
