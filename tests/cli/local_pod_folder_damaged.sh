# A program that replaces its pod's files with FIFOs and links does not disturb the server: it answers, and the pod
# ends.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/kml
cat >damage.py <<'P'
import os, pathlib, sys, time
folder = pathlib.Path(os.environ["KML_STATE_DIR"], "local/pods", os.environ["KML_POD_UID"])
put = {"fifo": os.mkfifo, "endless": lambda path: path.symlink_to("/dev/zero")}[sys.argv[1]]
for name in sys.argv[2].split(","):
    path = folder / name
    if path.exists():
        path.rename(f"{path}-away")
    put(path)
print("damaged", flush=True)
pathlib.Path(sys.argv[3]).touch()
time.sleep(1000)
P
expect 0 timeout 1000 "$KML" local up --fake-gpus 1
for kind in fifo endless; do
  for names in status claim stop,stop.tmp logs/main/0.log message-main; do
    name=$kind-$(tr -dc a-z0-9 <<<"$names")
    expect 0 timeout 1000 "$KML" submit --name "$name" --gpus 1 --grace 1s --retries 0 --env "KML_STATE_DIR=$KML_STATE_DIR" -- python3 "$work/damage.py" $kind $names "$work/$name.done"
    eventually test -e "$name.done"
    timeout 1000 "$KML" logs "$name" >/dev/null 2>&1 || [ $? -lt 6 ] || fail "logs of $name"
    expect 0 timeout 1000 "$KML" list
    expect 0 timeout 1000 "$KML" delete "$name"
    timeout 1000 "$KML" wait --for=delete "$name" --timeout 1000s >"$work/err" 2>&1 || grep -q 'no job' "$work/err" || fail "$name does not end: $(cat "$work/err")"
  done
done
expect 0 timeout 1000 "$KML" submit --name all --gpus 1 --wait --timeout 1000s -- true
