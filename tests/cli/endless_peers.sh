# If a server, pod, bucket or file never stops sending, kml ends with a clear error. In this test, kml may use
# only 512 MiB.
. "$(dirname "$0")/lib.sh"
KML=$KML python3 - "$SOURCE/tests/soak" "$work" <<'PY'
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from attacks import peer  # noqa: E402

ROWS = [
    ("list", "values", ["list", "-o", "json"], "is too large"),
    ("list", "a text", ["list"], "is too large"),
    ("headers", "many", ["list"], "its headers have more than 256 KiB"),
    ("watch", "a line", ["wait", "victim"], "an event of the watch of"),
    ("shell", "output", ["cp", "victim/0:/x", "copy"], "the pod's answer is longer than"),
    ("shell", "output", ["ssh", "--config", "victim"], "the pod's answer is longer than 1 MiB"),
    ("s3", "elements", ["gc", "--store", "s3://bucket/prefix"], "is too large"),
    ("file", "laughs", ["list"], "aliases expand to more than"),
]
attacks = peer.Peer(pathlib.Path(sys.argv[2]) / "attacks")
try:
    for what, form, command, said in ROWS:
        seen = attacks.meet(what, form, command)
        if said.encode() not in seen.output.replace(b"\r\n", b"\n"):
            attacks.fault(f"{what} {form}: {command} does not say {said!r}: {seen.output[-600:]!r}")
finally:
    attacks.end()
print(*attacks.found, sep="\n")
sys.exit(1 if attacks.found else 0)
PY
