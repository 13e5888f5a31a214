# Runs the test again without permission to create namespaces: in a user namespace that forbids further ones.
if unshare --user true 2>/dev/null; then
  exec unshare --user --map-user=65534 --map-group=65534 --keep-caps sh -c \
    'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all bash "$0"' "$0"
fi
. "$(dirname "$0")/lib.sh"

# A pod's GPU slots only become free when all processes of the pod have ended, whichever of kml's parent
# processes was killed.
cat >holder.py <<'EOF'
import os, sys, time
folder = os.environ["PLACE"]
for name in "one", "two":  # one stays the program's child, the other is orphaned
    if os.fork() == 0:
        os.setsid()
        if name == "two" and os.fork():
            os._exit(0)
        with open(f"{folder}/{name}.new", "w") as file:
            file.write(f"{os.getpid()}\n")
        os.rename(f"{folder}/{name}.new", f"{folder}/{name}")
        time.sleep(1000)
time.sleep(1000)
EOF
cat >next.py <<'EOF'
import os, sys
left = [pid for pid in sys.argv[1:] if os.path.exists(f"/proc/{pid}")]
print("left:", *left or ["none"])
EOF
"$KML" local up --fake-gpus 1 >/dev/null
parent() { awk '{print $4}' "/proc/$1/stat"; }
# hold NAME: starts a job that takes the only GPU. Sets $keeper, $shim, and $pids to its program's processes.
hold() {
  mkdir "$work/$1"
  expect 0 "$KML" submit --name "$1" --gpus 1 --retries 0 --env "PLACE=$work/$1" -- python3 holder.py
  eventually test -s "$work/$1/one"
  eventually test -s "$work/$1/two"
  one=$(cat "$work/$1/one") two=$(cat "$work/$1/two")
  program=$(parent "$one")
  keeper=$(parent "$program")
  shim=$(parent "$keeper")
  pids="$program $one $two"
}
hold keeper
kill -9 "$keeper"
# The pod that gets the GPU next finds none of these processes.
# shellcheck disable=SC2086
expect 0 "$KML" submit --name next --gpus 1 --follow -- python3 next.py $pids
contains "$out" "left: none"
expect 3 "$KML" wait keeper --timeout 1000s

# Keeper and shim are killed at once, as when their process group is killed: the server ends the remaining processes.
hold both
kill -STOP "$keeper" # so that it cannot notice the shim's end first
kill -9 "$shim" "$keeper"
# The pod is replaced, as after any disruption.
again() { [ "$(cat "$work/both/one")" != "$one" ] && [ "$(cat "$work/both/two")" != "$two" ]; }
eventually again
for pid in $pids; do # an ended process may still be a zombie that init has not reaped
  state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null || true)
  [[ "$state" == [ZX] || -z "$state" ]] || fail "process $pid outlived its pod, state $state"
done
expect 0 "$KML" cancel both
