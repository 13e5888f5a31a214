#!/usr/bin/env python3
"""The machine code of the fast kernels, which a change can make slow without being noticed otherwise: registers, stack,
shared memory, and numbers of instructions, compared with kernels.tsv. Needs no GPU.

    kernels.py NVCC OBJECT...            fails if a number is more than 3 % above the table, or if there are other kernels
                                         or another number of instructions for tensor cores than in the table
    kernels.py --write NVCC OBJECT...    writes the table
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_suffix(".tsv")
ARCHITECTURE = "sm_90"
COLUMNS = ["registers", "stack", "shared", "instructions", "tensor", "loads", "copies", "stores", "barriers", "arrivals"]
# The instructions of each kind. Besides loads, stores, and barriers of a block, there are copies to shared memory, and
# arrivals at barriers of the grid.
CODES = {"tensor": {"HMMA"}, "loads": {"LDG"}, "copies": {"LDGSTS"}, "stores": {"STG"}, "barriers": {"BAR"}, "arrivals": {"RED", "REDG"}}

arguments = sys.argv[1:]
writes = "--write" in arguments
nvcc, *objects = [argument for argument in arguments if argument != "--write"]
folder = pathlib.Path(nvcc).resolve().parent
if not (folder / "cuobjdump").exists():
    print(f"{folder} has no cuobjdump; trainer/get-cuda downloads one")
    sys.exit(77)
env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}  # cuobjdump runs nvdisasm


def dump(kind, path):
    return subprocess.run(["cuobjdump", kind, "-arch", ARCHITECTURE, path], capture_output=True, text=True, check=True, env=env).stdout


def readable(symbol):
    text = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout
    text = text.strip().replace("trainer::cuda::(anonymous namespace)::", "").removeprefix("void ")
    for number, precision in enumerate(("fp32", "tf32", "bf16")):
        text = text.replace(f"(trainer::Precision){number}", precision)
    return text.split("(")[0]


def measure(path):
    found = {}
    for symbol, usage in re.findall(r"Function (\S+):\n\s*(.*)", dump("-res-usage", path)):
        numbers = dict(re.findall(r"(\w+):(\d+)", usage))
        found[symbol] = {"registers": int(numbers["REG"]), "stack": int(numbers["STACK"]), "shared": int(numbers["SHARED"])}
    for part in dump("-sass", path).split("Function : ")[1:]:
        codes = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)", part)
        counts = collections.Counter(code for code in codes if code != "NOP")
        numbers = found[part.split()[0]]
        numbers["instructions"] = sum(counts.values())
        numbers.update({column: sum(counts[code] for code in of) for column, of in CODES.items()})
    return found


lines = {}
for path in objects:
    for symbol, numbers in measure(path).items():
        lines[readable(symbol)] = [numbers[column] for column in COLUMNS]
if writes:
    text = ["\t".join(["kernel", *COLUMNS])] + ["\t".join(map(str, [name, *numbers])) for name, numbers in sorted(lines.items())]
    TABLE.write_text("\n".join(text) + "\n")
    sys.exit()
table = {name: list(map(int, numbers)) for name, *numbers in (line.split("\t") for line in TABLE.read_text().splitlines()[1:])}
wrong = [f"{name}: only in one of program and table" for name in sorted(table.keys() ^ lines.keys())]
for name in sorted(table.keys() & lines.keys()):
    for column, allowed, is_now in zip(COLUMNS, table[name], lines[name]):
        if is_now > allowed * 1.03:
            wrong.append(f"{name}: {is_now} {column}, {allowed} in the table")
        if column == "tensor" and is_now != allowed:
            wrong.append(f"{name}: {is_now} instructions for tensor cores, {allowed} in the table")
print("\n".join(wrong) or f"{len(lines)} kernels as in the table")
if wrong:
    print(f"If that is meant: {sys.argv[0]} --write {nvcc} {' '.join(objects)}")
sys.exit(bool(wrong))
