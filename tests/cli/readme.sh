# The blocks `console` of README.md run as they are printed, right after the installation: with kml and what Debian has, in
# an empty home. A block of another kind says before it why it is not run. Numbers and the user's name may differ.
. "$(dirname "$0")/lib.sh"
mkdir bin
ln -s "$KML" bin/kml
export PATH=$work/bin:/usr/bin:/bin
/usr/bin/python3 - "$SOURCE/README.md" <<'PY'
import re
import subprocess
import sys

text = open(sys.argv[1]).read()
blocks = re.findall(r"(?:<!-- not run: ([^\n]+) -->\n)?^```(\w*)\n(.*?)^```$", text, re.M | re.S)
assert blocks and all(kind == "console" or why for why, kind, _ in blocks), "a block neither runs nor says why not"


def alike(line):
    return re.sub(r"\d[\d.]*", "N", re.sub(r"\bas \w+$", "as USER", line.rstrip()))


def expected(lines):
    return re.compile("\n".join(r"(?:.*\n)*?.*" if line == "..." else re.escape(alike(line)) for line in lines))


ran = 0
for _, kind, block in blocks:
    for part in re.split(r"^\$ ", block, flags=re.M)[1:] if kind == "console" else []:
        command, *printed = part.strip().split("\n")
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        got = "\n".join(alike(line) for line in done.stdout.strip().split("\n"))
        assert expected(printed).fullmatch(got), f"$ {command}\nREADME.md prints:\n" + "\n".join(printed) + "\nkml prints:\n" + done.stdout
        ran += 1
print(f"{ran} commands were run; {sum(bool(why) for why, _, _ in blocks)} of {len(blocks)} blocks are not run")
PY
