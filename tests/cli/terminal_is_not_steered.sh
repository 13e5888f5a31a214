# Runs the commands that print what a server sends, on a terminal, with a server that puts escape sequences into names,
# reasons, messages and logs. None of them reaches the terminal, but the words next to them do.
. "$(dirname "$0")/lib.sh"
python3 "$SOURCE/tests/support/hostile_server.py" "$work/kubeconfig" &
server=$!
trap 'status=$?; kill $server; finish $status' EXIT
eventually test -e "$work/kubeconfig"
evil=$'HOSTILE\x1b]52;c;ZXZpbA==\x07\x1b[?1337h\xc2\x9b?1337h'
printf 'apiVersion: kml.dev/v1\nkind: Sweep\nspec: {restartPolicy: "%s"}\n' 'HOSTILE\x1b[?1337h' >sweep.yaml
printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: "HOSTILE\\e[?1337h"}\nspec: {template: {spec: {containers: []}}}\n' >job.yaml
printf 'kml: template/v1\nparameters: {"HOSTILE\\e[?1337h": {kind: 1}}\n' >broken.yaml
export KUBECONFIG=$work/kubeconfig KML=$KML EVIL=$evil TERM=xterm
cat >commands <<'C'
list
list -o json
list -o yaml
list -o name
list -o wide
list -w
status evil
status evil -o json
why evil
why evil -o json
wait evil
wait evil --for=EVIL
logs evil
logs -f evil
logs -o json evil
logs --first-error evil
logs --metrics evil
queue
queue -o json
cancel evil
delete evil
suspend evil
resume evil
history evil
top nodes
top jobs
list nodes
list queues
list nodes -o json
eff evil
eff evil -o json
config contexts
doctor
template show EVIL
template check broken.yaml
submit -f job.yaml
submit --image EVIL --name evil --follow -- sh -c true
submit --image EVIL --name evil --wait -- sh -c true
submit --image i --dry-run -- sh -c EVIL
submit --image i --test-only -- sh -c true
submit EVIL
rerun EVIL
sweep list
sweep status evil
sweep run EVIL --image i --dry-run -f sweep.yaml -- sh
sweep run EVIL --image i --dry-run -- sh
C
timeout 1700 python3 - <<'P'
import os, pty, re, select, signal, time

evil = os.environ["EVIL"]
faults = []
for line in open("commands").read().splitlines():
    argv = [word.replace("EVIL", evil) for word in line.split()]
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(os.environ["KML"], ["kml", *argv])
    seen, deadline = b"", time.monotonic() + 100
    while True:
        ready = select.select([fd], [], [], max(0, deadline - time.monotonic()))[0]
        try:
            piece = os.read(fd, 65536) if ready else b""
        except OSError:
            break
        if not piece:
            os.kill(pid, signal.SIGKILL)
            break
        if b"HOSTILE" in piece:  # four more seconds for commands that do not end by themselves
            deadline = min(deadline, time.monotonic() + 4)
        seen += piece
    os.waitpid(pid, 0)
    os.close(fd)
    if re.search(rb"\x1b\]|\x1b\[\?|[\x00\x07\x08\x7f]|\xc2[\x80-\x9f]", seen):
        faults.append(f"{line}: {seen!r}")
    if b"HOSTILE" not in seen:
        faults.append(f"{line}: shows nothing of it: {seen!r}")
assert not faults, "\n".join(faults)
P
