. "$(dirname "$0")/lib.sh"
# The progress of tqdm (also nested), rich, pip and curl looks the same on a terminal with `kml logs -f` as without
# kml: the same lines remain. The programs' output is recorded in tests/recorded/progress.
export KML SOURCE
cat >replay.py <<'P'
import json, os, pathlib, sys, time
pieces = json.load(open(os.environ["SOURCE"] + f"/tests/recorded/progress/{sys.argv[1]}.json"))
quarter = -(-len(pieces) // 4)
for number, piece in enumerate(pieces):
    # Each quarter of the output is written after the test has seen the previous quarter.
    while number % quarter == 0 and not pathlib.Path(f"go{number // quarter}").exists():
        time.sleep(0.02)
    os.write(1, piece.encode("latin-1"))
    time.sleep(0.03)
P
cat >watch.py <<'P'
import json, os, pathlib, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Screen, Terminal

name, prefix = sys.argv[1:]
pieces = json.load(open(os.environ["SOURCE"] + f"/tests/recorded/progress/{name}.json"))
plain, frames = Screen(), set()
for piece in pieces:
    plain.feed(piece.encode("latin-1").decode().replace("\n", "\r\n"))
terminal = Terminal([os.environ["KML"], "logs", "-f", name.replace("_", "-")])
for number in range(4):
    before = terminal.lines()
    pathlib.Path(f"go{number}").touch()
    if number < 3:
        terminal.until(lambda lines: lines != before)
        frames.add("\n".join(terminal.lines()))
while terminal.read(1):
    frames.add("\n".join(terminal.lines()))
lines = [line for line in terminal.lines() if not line.startswith(("kml: ", "job "))]
wanted = [(prefix + line).rstrip() for line in plain.lines()]
while wanted and wanted[-1] == prefix.rstrip():
    wanted.pop()
assert lines == wanted, "\n".join([f"{name}:", *lines, "but without kml:", *wanted])
assert len(frames) > 3, f"{name} was not seen as it changed: {len(frames)} frames"
assert not terminal.other, terminal.other
P
for name in tqdm tqdm_nested rich pip curl; do
  rm -f go?
  expect 0 "$KML" submit --name "${name/_/-}" --env SOURCE="$SOURCE" -- python3 replay.py "$name"
  timeout 1000 python3 watch.py "$name" ""
done
