#!/usr/bin/env python3
"""Checks a program for macOS: macho.py FILE fails unless it is one for arm64, needs no library but libSystem, and has the
signature without which arm64 refuses it. Numbers: Apple's mach-o/loader.h and mach/machine.h.
"""

import pathlib
import struct
import sys

MAGIC, ARM64, EXECUTABLE = 0xFEEDFACF, 0x0100000C, 2
LOAD_DYLIB, CODE_SIGNATURE = 0xC, 0x1D
SYSTEM = "/usr/lib/libSystem.B.dylib"


def commands(program):
    """The load commands: (number, bytes)."""
    position = 32  # after the header
    for _ in range(struct.unpack_from("<I", program, 16)[0]):
        number, size = struct.unpack_from("<II", program, position)
        yield number, program[position:position + size]
        position += size


def problems(program):
    magic, processor, _, kind = struct.unpack_from("<IIII", program.ljust(16), 0)
    if (magic, processor, kind) != (MAGIC, ARM64, EXECUTABLE):
        return ["not a program for macOS on arm64"]
    found = list(commands(program))
    libraries = [text[struct.unpack_from("<I", text, 8)[0]:].split(b"\0")[0].decode()
                 for number, text in found if number & 0xFF == LOAD_DYLIB]
    wrong = ["needs the library " + name for name in libraries if name != SYSTEM]
    if not any(number == CODE_SIGNATURE for number, _ in found):
        wrong.append("has no signature")
    return wrong


if __name__ == "__main__":
    wrong = problems(pathlib.Path(sys.argv[1]).read_bytes())
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
