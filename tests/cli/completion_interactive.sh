# In real interactive shells: names that are code are shown and inserted as text, never run.
. "$(dirname "$0")/lib.sh"
mkdir bin templates && ln -s "$KML" bin/kml
export PATH=$work/bin:$PATH WORK=$work
cat >config <<'YAML'
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts:
- {name: "zz$(touch pwned)", context: {cluster: c}}
- {name: "zz`touch pwned`", context: {cluster: c}}
- {name: "yy;touch pwned;", context: {cluster: c}}
- {name: "xx'$(touch pwned)'", context: {cluster: c}}
- {name: "arn:aws:eks/dev", context: {cluster: c}}
current-context: arn:aws:eks/dev
YAML
export KUBECONFIG=$work/config
python3 - <<'PYTHON'
import os, pty, re, select, shutil, sys, time

work = os.environ["WORK"]
shells = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(kml completion bash)", "\t\t\t"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source <(kml completion zsh)", "\t\t"),
    "fish": (["fish", "--no-config", "-i"], "kml completion fish | source", "\t"),
}
faults = []
for shell, (argv, setup, tab) in shells.items():
    if not shutil.which(shell):
        print(f"LEFT OUT: there is no {shell}")
        continue
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb" if shell != "fish" else "xterm", PS1="ready> ", LC_ALL="C.UTF-8", COLUMNS="120")
        os.chdir(work)
        os.execvp(argv[0], argv)
    seen = b""

    def until(text, what, patience=20):
        """Reads until the screen shows the text after the last command."""
        global seen
        end = time.monotonic() + patience
        while text not in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen):
            ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                faults.append(f"{shell}: {what}: no {text!r} in {seen[-600:]!r}")
                return False
            seen += os.read(fd, 65536)
        return True

    def type_in(text):
        global seen
        seen = b""
        os.write(fd, text.encode())

    # The echo of what is typed is not yet its output: the output has the two parts in one piece.
    type_in(setup + "; echo se''t-up\r")
    until(b"set-up", "set-up")
    for start, shown in (("zz", b"pwned"), ("yy", b"pwned"), ("xx", b"pwned"), ("arn:aw", b"aws:eks/dev")):
        type_in(f"kml config view --context {start}{tab}")
        until(shown, f"TAB after {start}")
        type_in("\r")  # what was inserted is run as the argument that it is
        type_in("echo do''ne\r")
        until(b"done", "return")
    type_in(f"kml submit --gp{tab}")
    until(b"--gpus", "a flag")
    os.kill(pid, 9)
    os.close(fd)
    os.waitpid(pid, 0)
    if os.path.exists(f"{work}/pwned"):
        faults.append(f"{shell}: a name was run")
        os.remove(f"{work}/pwned")
sys.exit("\n".join(faults) or 0)
PYTHON
