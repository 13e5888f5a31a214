# Tests completion in real interactive shells. Names that contain code are shown and inserted as text, and never run.
# The program's own completion completes the words after "--", except in bash without bash-completion.
. "$(dirname "$0")/lib.sh"
mkdir bin templates && ln -s "$KML" bin/kml
printf '#!/bin/sh\necho "ran $*"\n' >bin/zzprogram
chmod +x bin/zzprogram
touch trainfile.py
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
# The last step tests zzprogram's own completion, if the shell can pass the words to it.
bash = ["bash", "--norc", "--noprofile", "-i"]
of_bash = "_own() { COMPREPLY=(own-word); }; complete -F _own zzprogram"
package = os.environ.get("BASH_COMPLETION", "/usr/share/bash-completion/bash_completion")
shells = {
    "bash": (bash, "source <(kml completion bash)", "\t\t\t", ""),
    "bash with bash-completion": (bash, f"source {package}; source <(kml completion bash)", "\t\t\t", of_bash),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source <(kml completion zsh)", "\t\t",
            "_own() { compadd own-word }; compdef _own zzprogram"),
    "fish": (["fish", "--no-config", "-i"], "kml completion fish | source", "\t",
             "complete -c zzprogram -f -a own-word"),
}
if not os.path.exists(package):
    del shells["bash with bash-completion"]
    print("LEFT OUT: there is no bash-completion")
faults = []
for shell, (argv, setup, tab, own) in shells.items():
    if not shutil.which(argv[0]):
        print(f"LEFT OUT: there is no {shell}")
        continue
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb" if argv[0] != "fish" else "xterm", PS1="ready> ", LC_ALL="C.UTF-8", COLUMNS="120")
        os.chdir(work)
        os.execvp(argv[0], argv)
    seen = b""

    def until(text, what, patience=600):
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

    # The echo of the typed text must not match. So the marker is typed in two parts, and is complete only in the
    # output.
    type_in(setup + "; echo se''t-up\r")
    until(b"set-up", "set-up")
    for start, shown in (("zz", b"pwned"), ("yy", b"pwned"), ("xx", b"pwned"), ("arn:aw", b"aws:eks/dev")):
        type_in(f"kml config view --context {start}{tab}")
        until(shown, f"TAB after {start}")
        type_in("\r")  # runs the line; the inserted text must be a plain argument
        type_in("echo do''ne\r")
        until(b"done", "return")
    type_in(f"kml submit --gp{tab}")
    until(b"--gpus", "a flag")
    type_in("\x15")
    type_in(f"kml submit --dry-run -- zzpro{tab}")
    until(b"zzprogram", "the name of a program")
    type_in("\x15")
    type_in(f"kml submit --dry-run -- zzprogram tr{tab}")
    until(b"trainfile.py", "a file after a program")
    if own:
        type_in("\x15" + own + "; echo do''ne\r")
        until(b"done", "a completion of its own")
        type_in(f"kml submit --dry-run -- zzprogram own{tab}")
        until(b"own-word", "the program's own completion")
    os.kill(pid, 9)
    os.close(fd)
    os.waitpid(pid, 0)
    if os.path.exists(f"{work}/pwned"):
        faults.append(f"{shell}: a name was run")
        os.remove(f"{work}/pwned")
sys.exit("\n".join(faults) or 0)
PYTHON
