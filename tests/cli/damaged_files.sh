# Damages, in up to eight ways, the files that kml keeps outside the embedded server's folder. A command that reads the
# damaged file still prints everything, or names the file or an error. It ends with one of kml's exit codes, and shows no text of a library. If
# something else, such as a folder, has replaced the file, the error has a fix.
. "$(dirname "$0")/lib.sh"
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {a: {command: [sh, -c, 'echo 1 >"${out.n}"; echo x >"${out.f}"'], outputs: {n: value, f: file}}}}
Y
echo 'retries: 0' >kml.yaml
expect 0 "$KML" trust
expect 0 "$KML" submit --name one --wait -- sh -c 'echo step=1 loss=0.5; echo step=2 loss=0.0625'
expect 0 "$KML" sweep run s --param x=1..3 --maximize v --trials 1 -- sh -c 'echo v={x}'
expect 0 "$KML" run p.yaml --name p-1
expect 0 "$KML" logs -f one --keep
# Starts engines in separate processes, and the schedule for a repository.
expect 0 "$KML" sweep run bg --detach --param x=1..3 --maximize v --trials 1 -- sh -c 'echo v={x}'
expect 0 "$KML" sweep attach bg
git init -q -b main repo
cp p.yaml repo
git -C repo add -A
git -C repo -c user.name=a -c user.email=a@b commit -q -m first
expect 0 "$KML" schedule git "$work/repo#main" -f p.yaml --name g --once
expect 0 "$KML" runs
expect 0 "$KML" usage
# Each row has a file and a command.
cat >table <<'T'
runs.jsonl               runs -o json
runs.jsonl               history -o json
gpu_time.jsonl           usage
metrics/*                runs report one -o -
runs/p-1/journal.jsonl   run list -o name
runs/p-1/journal.jsonl   run status p-1
sweeps/s/journal.jsonl   sweep list -o json
sweeps/s/journal.jsonl   sweep best s
trusted                  trust --list
artifacts/results/*/*    artifact list
artifacts/manifests/*/*  artifact get p-1/a.f got --force
artifacts/latest/p/a     artifact list
runs/p-1/lock            run list -o name
runs/p-1/lock            run resume p-1
runs/p-1/lock            run delete p-1
sweeps/bg/lock           sweep list -o json
sweeps/bg/lock           sweep resume bg
sweeps/bg/lock           sweep delete bg
sweeps/bg/engine.log     sweep logs bg
sweeps/bg/engine.log     sweep resume bg --detach
sweeps/bg/journal.jsonl  sweep status bg
sweeps/bg/journal.jsonl  sweep resume bg --detach
logs/*/*/*/*.json        logs -f one --keep
logs/*/*/*/*.log         logs -f one --keep
logs/*/*/lock            logs -f one --keep
git/*/.git/HEAD          schedule git REPO#main -f p.yaml --name g --once
runs/g-*/journal.jsonl   run list -o name
T
are_there() {
  local pattern
  while read -r pattern _; do
    compgen -G "$XDG_STATE_HOME/kml/$pattern" >/dev/null || { echo "there is no $pattern"; return 1; }
  done <table
}
eventually are_there # background engines write some later
have_ended() { ! "$KML" run list | grep -q running; }
eventually have_ended
cp -a "$XDG_STATE_HOME/kml" whole
rm -r whole/local
/usr/bin/python3 - <<'P' || fail "see above"
import os, pathlib, re, subprocess, sys

KML = os.environ["KML"]
work = pathlib.Path.cwd()
state = pathlib.Path(os.environ["XDG_STATE_HOME"]) / "kml"
own = {"env": {**os.environ, "NO_COLOR": "1"}, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}


def restore():
    for place in state.iterdir():
        if place.name != "local":
            subprocess.run(["rm", "-rf", place], check=True)
    subprocess.run(["cp", "-a", f"{work}/whole/.", state], check=True)


def steady(text):
    """Without ages, whose width changes too."""
    return re.sub(r"\b\d+[smh]\b|\s+", "", text)


def flipped(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0x80]) + data[middle + 1:]


CONTENT = {"cut": lambda data: data[:len(data) // 2], "flipped": flipped, "empty": lambda data: b"",
           "random": lambda data: bytes((i * 37 + 11) % 256 for i in range(200)), "last line cut": lambda data: data.rstrip(b"\n")[:-3],
           "line of another": lambda data: b'{"format":99}\n' + data}


def damage(file, how):
    data = file.read_bytes() or b"\n"
    file.chmod(0o600)
    file.unlink()
    if how == "a folder":
        file.mkdir()
    elif how == "unreadable":  # also for root
        file.symlink_to(file.name)
    else:
        file.write_bytes(CONTENT[how](data))


failures = []
for row in (work / "table").read_text().splitlines():
    pattern, *words = row.replace("REPO", f"{work}/repo").split()
    restore()
    whole = subprocess.run([KML, *words], **own)
    # Locks and engine logs, which kml does not read, and checkouts, which kml creates again, are damaged in three ways.
    for how in [*(["flipped"] if re.search("lock|engine.log|HEAD", pattern) else CONTENT), "a folder", "unreadable"]:
        restore()
        file = next(state.glob(pattern))
        damage(file, how)
        seen = subprocess.run([KML, *words], **own)
        text = seen.stdout + seen.stderr
        has_all = (seen.returncode, steady(seen.stdout)) == (whole.returncode, steady(whole.stdout))
        is_named = str(file) in text or '"error"' in seen.stdout
        wrong = [] if has_all or is_named else ["says nothing of it"]
        wrong += [] if 0 <= seen.returncode <= 5 else [f"exit {seen.returncode}"]
        wrong += re.findall(r"json\.exception|std::|terminate called|sqlite", text)
        wrong += ["without a fix"] if how in ("a folder", "unreadable") and seen.returncode == 1 and not re.search(r"fix\"?: ", text) else []
        if wrong:
            failures.append(f"{how}: {row}: {', '.join(wrong)}\n  {text[-300:]}")
print(*failures, sep="\n", file=sys.stderr)
sys.exit(bool(failures))
P
