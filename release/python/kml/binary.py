"""Finds the program kml, and runs it."""

from __future__ import annotations

import atexit
import errno
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
from codecs import getincrementaldecoder
from typing import IO, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, cast

from .errors import Error, UsageError, begins_error, error_of

#: Takes a text that kml prints.
Printer = Callable[[str], object]


def find() -> str:
    """The path of kml: $KML_BINARY, the one that pip installed beside this package, or the first in PATH."""
    chosen = os.environ.get("KML_BINARY")
    if chosen:
        return chosen
    beside = [os.path.dirname(sys.executable), os.path.join(sys.prefix, "bin"),
              os.path.join(os.path.expanduser("~"), ".local", "bin")]
    found = shutil.which("kml", path=os.pathsep.join(beside)) or shutil.which("kml")
    if not found:
        raise Error("cannot find the program kml", "it is neither beside this Python nor in PATH",
                    "install kml, or set KML_BINARY to the path of the program")
    return found


def start(args: Sequence[str], stderr: int, in_background: bool = False) -> "subprocess.Popen[str]":
    """Starts kml; its output is read as it arrives. With `in_background`, Ctrl-C does not reach it."""
    program = find()
    try:
        kml = subprocess.Popen([program, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                               encoding="utf-8", errors="replace", start_new_session=in_background)
    except OSError as error:
        raise _not_started(program, args, error) from error
    except ValueError as error:  # a null byte, or half of a surrogate pair
        raise UsageError("cannot pass these arguments to kml", str(error), "", 2) from error
    if in_background:
        atexit.register(kml.terminate)  # its own session does not end with the terminal
    return kml


def _not_started(program: str, args: Sequence[str], error: OSError) -> Error:
    if error.errno == errno.E2BIG:
        return UsageError("the command is too long", "its longest word has %d characters" % max(map(len, args)),
                          "put what is long into a file", 2)
    chosen = "KML_BINARY names it; " if os.environ.get("KML_BINARY") else ""
    return Error("cannot run the program %s" % program, chosen + (error.strerror or str(error)),
                 "set KML_BINARY to the path of the program, or unset it" if chosen else "install kml again")


def end(kml: "subprocess.Popen[str]") -> None:
    """Ends a process of start()."""
    kml.terminate()
    atexit.unregister(kml.terminate)


def background_lines(args: Sequence[str], stderr: int = subprocess.DEVNULL) -> Iterator[str]:
    """The lines that kml prints, as they arrive; Ctrl-C does not end it. Raises Error if kml reports one."""
    while True:
        began = False
        with start(args, stderr, in_background=True) as kml:
            try:
                for line in kml.stdout or ():
                    began = True
                    yield line
                message = kml.stderr.read() if kml.stderr else ""
                kml.wait()
            finally:
                end(kml)
        # Until the new process has a session of its own, Ctrl-C reaches it, too, and ends it before it is kml.
        if kml.returncode == -signal.SIGINT and not began:
            continue
        if kml.returncode not in (0, 3):  # 3: the job failed
            raise error_of(kml.returncode, message)
        return


class _Lines:
    """Takes output in pieces, and passes on each line as soon as it is complete."""

    def __init__(self, take: Printer) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._take = take

    def add(self, piece: bytes) -> None:
        *lines, self._rest = (self._rest + self._decoder.decode(piece, final=not piece)).split("\n")
        for line in lines:
            self._take(line + "\n")
        if not piece and self._rest:
            self._take(self._rest)


def stream(args: Sequence[str], out: Printer, err: Printer) -> Tuple[int, str]:
    """Runs kml, and passes on its output line by line, except for an error that it reports. Returns its exit code and
    everything that it has printed on standard error."""
    said: List[str] = []
    error: List[str] = []

    def hear(line: str) -> None:
        said.append(line)
        if error or begins_error(line):
            error.append(line)
        else:
            err(line)

    with start(args, subprocess.PIPE) as kml, selectors.DefaultSelector() as ready:
        try:
            for pipe, take in ((kml.stdout, out), (kml.stderr, hear)):
                ready.register(cast(IO[str], pipe), selectors.EVENT_READ, _Lines(take))
            while ready.get_map():
                for key, _ in ready.select():
                    piece = os.read(key.fd, 1 << 16)
                    key.data.add(piece)
                    if not piece:
                        ready.unregister(key.fileobj)
            return kml.wait(), "".join(said)
        finally:
            end(kml)


#: The targets that this process has shown.
_shown_targets: Set[str] = set()


def show_note(line: str) -> None:
    """Prints a note of kml, except for what it says about each submit or sweep. Prints a target once."""
    if line.startswith("→ ") and line not in _shown_targets:
        _shown_targets.add(line)
    elif not line.startswith("kml: ") or line.startswith(("kml: code: ", "kml: `kml sweep attach ")):
        return
    print(line, end="", file=sys.stderr)


def _ignore(line: str) -> None:
    pass


def run(args: Sequence[str], notes: Printer = _ignore) -> str:
    """The output of kml. If kml fails, raises Error with the error that kml reported."""
    printed: List[str] = []
    code, said = stream(args, printed.append, notes)
    if code:
        raise error_of(code, said)
    return "".join(printed)


def run_json(args: Sequence[str], separator: Optional[Sequence[str]] = None, notes: Printer = _ignore) -> Any:
    """The output of kml with -o json. `separator` has the words after "-o json", e.g. "--" and a command."""
    try:
        return parsed(run([*args, "-o", "json", *(separator or [])], notes))
    except Error as error:  # name only what the caller has written
        error.fix = re.sub(r" -o json\b", "", error.fix)
        raise


def parsed(text: str) -> Any:
    """The value of a JSON text that kml has printed."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise unexpected(text) from error


def unexpected(found: object) -> Error:
    """The error for an output that is not of the form that this package reads."""
    return Error("cannot read the output of kml", "%s printed: %.200s" % (find(), found),
                 "use the program of the same version as this package")


def objects_in(lines: Optional[Iterable[str]]) -> Iterator[Dict[str, Any]]:
    """The JSON objects that kml prints, one per line."""
    for line in lines or ():
        yield parsed(line)
