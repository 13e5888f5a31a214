# Runs every command on a terminal, with a server that puts escape sequences into names, reasons, messages and logs, and
# with such names as arguments. These sequences do not reach the terminal, but the words next to them do. A command
# without a row in the table fails the test.
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
# "quiet" marks commands that print no text from outside.
cat >commands <<'C'
list
list -o json
list -o yaml
list -o name
list -o wide
list -w
list nodes
list queues
list nodes -o json
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
top nodes
top jobs
top queues
eff evil
eff evil -o json
hang evil
attach evil
shell evil
exec evil -- true
port evil 80
open evil
cp evil:/x .
sync . evil:/x
ssh evil --config
debug evil
dev --list
dev EVIL --image i
history evil
usage
timeline
runs --where EVIL
runs compare EVIL EVIL
runs export EVIL
runs note EVIL text
runs tag EVIL a=b
runs push EVIL --mlflow http://127.0.0.1:1
runs report EVIL
artifact get EVIL copy
artifact lineage EVIL
artifact list EVIL
artifact pin EVIL
artifact unpin EVIL
artifact put EVIL
gc --store EVIL
schedule list
schedule pause EVIL
schedule resume EVIL
schedule run-now EVIL
schedule delete EVIL
schedule git EVIL -f pipeline.yaml --once
serve EVIL -- sh
serve list
serve status evil
serve logs evil
serve revisions evil
serve rollback evil
serve stop evil
run ./EVIL.yaml
run list EVIL
run status EVIL
run attach EVIL
run logs EVIL
run stop EVIL
run resume EVIL
run delete EVIL
quiet run example
quiet sweep example
sweep list
sweep status evil
sweep attach EVIL
sweep best EVIL
sweep report EVIL
sweep logs EVIL
sweep stop EVIL
sweep delete EVIL
sweep export EVIL
sweep replay EVIL
sweep resume EVIL
sweep run EVIL --image i --dry-run -f sweep.yaml -- sh
sweep run EVIL --image i --dry-run -- sh
submit -f job.yaml
submit --image EVIL --name evil --follow -- sh -c true
submit --image EVIL --name evil --wait -- sh -c true
submit --image i --dry-run -- sh -c EVIL
submit --image i --test-only -- sh -c true
submit EVIL
submit --image i --requirements EVIL -- true
submit --image i --conda EVIL -- true
rerun EVIL
quiet env list
quiet env gc
quiet env verify
quiet env upgrade
quiet kind list
kind show EVIL
kind check EVIL
quiet template list
template show EVIL
image append EVIL --code . --tag EVIL
template check broken.yaml
config contexts
config view
quiet config alias EVIL -- list
config alias
config init EVIL
trust EVIL
doctor
apply EVIL
schema EVIL
mcp --allow EVIL
ui
ui jobs
ui -o json
ui --web --once -
quiet skill
quiet skill install
quiet version
local up --cpu EVIL
local image EVIL=sh
quiet local status
quiet local check
quiet local repair
quiet local kubeconfig
quiet local down
quiet completion bash
quiet completion zsh
quiet completion fish
C
timeout 1700 python3 - <<'P'
import os, pty, re, select, signal, subprocess, time

evil = os.environ["EVIL"]


def leaves(path=()):
    """The commands that do something, as `kml --help` and TAB know them."""
    shown = subprocess.run([os.environ["KML"], *path, "--help"], capture_output=True, text=True, check=True).stdout
    names = subprocess.run([os.environ["KML"], "__complete", "--", *path, ""], capture_output=True, text=True, check=True).stdout
    is_group = "COMMAND --help` shows" in " ".join(shown.split())
    if not is_group:
        return {" ".join(path)}
    found = set() if re.search(r"^Usage: kml.* COMMAND$", shown, re.M) else {" ".join(path)}
    for name in names.splitlines()[1:]:
        found |= leaves((*path, name.split("\t")[0]))
    return found


rows = [line.split() for line in open("commands").read().splitlines()]
commands = leaves()
typed = [" ".join(row[row[0] == "quiet":]) + " " for row in rows]
faults = [f"{command}: is not in the table" for command in sorted(commands) if not any(line.startswith(command + " ") for line in typed)]
for row in rows:
    is_quiet = row[0] == "quiet"
    argv = [word.replace("EVIL", evil) for word in row[is_quiet:]]
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
    line = " ".join(row)
    if argv[0] == "ui":  # its own: the alternate screen, the cursor, and marked pastes
        seen = re.sub(rb"\x1b\[\?(1049|25|2004)[hl]", b"", seen)
    if re.search(rb"\x1b\]|\x1b\[\?|[\x00\x07\x08\x7f]|\xc2[\x80-\x9f]", seen):
        faults.append(f"{line}: {seen!r}")
    if b"HOSTILE" not in seen and not is_quiet:
        faults.append(f"{line}: shows nothing of it: {seen!r}")
assert not faults, "\n".join(faults)
P
