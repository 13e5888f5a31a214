"""Finds the program kml, and runs it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from .errors import Error, error_of

#: A value of a flag: True for a flag without a value; a list or a mapping (NAME=VALUE) to repeat it.
Value = Union[None, bool, int, float, str, Sequence[object], Mapping[str, object]]


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
                    "pip install kml-cli in this environment, or set KML_BINARY")
    return found


def flags_of(values: Mapping[str, Value]) -> List[str]:
    """The flags for keyword arguments: time_limit="12h" becomes --time-limit=12h."""
    flags: List[str] = []
    for name, value in values.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            flags.append(flag)
        elif isinstance(value, (str, int, float)):
            flags.append("%s=%s" % (flag, value))
        elif isinstance(value, Mapping):
            flags += ["%s=%s" % (flag, key) if item is None else "%s=%s=%s" % (flag, key, item) for key, item in value.items()]
        else:
            flags += ["%s=%s" % (flag, item) for item in value]
    return flags


def start(args: Sequence[str], stderr: int, in_background: bool = False) -> "subprocess.Popen[str]":
    """Starts kml; its output is read as it arrives. With `in_background`, Ctrl-C does not reach it."""
    kml = subprocess.Popen([find(), *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                           encoding="utf-8", errors="replace", start_new_session=in_background)
    if in_background:
        atexit.register(kml.terminate)  # its own session does not end with the terminal
    return kml


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


def show_notes(stderr: str) -> None:
    """Prints the notes of kml, except for what it says about each submit."""
    for line in stderr.splitlines():
        if line.startswith("kml: ") and not line.startswith("kml: code: "):
            print(line, file=sys.stderr)


def run(args: Sequence[str], shows_notes: bool = False) -> str:
    """The output of kml. If kml fails, raises Error with the error that kml reported."""
    done = subprocess.run([find(), *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    if done.returncode:
        raise error_of(done.returncode, done.stderr)
    if shows_notes:
        show_notes(done.stderr)
    return done.stdout


def run_json(args: Sequence[str], separator: Optional[Sequence[str]] = None, shows_notes: bool = False) -> Any:
    """The output of kml with -o json. `separator` has the words after "-o json", e.g. "--" and a command."""
    return json.loads(run([*args, "-o", "json", *(separator or [])], shows_notes))


def objects_in(lines: Optional[Iterable[str]]) -> Iterator[Dict[str, Any]]:
    """The JSON objects that kml prints, one per line."""
    for line in lines or ():
        yield json.loads(line)


def place(context: Optional[str], namespace: Optional[str]) -> List[str]:
    """The flags that choose the context and the namespace."""
    chosen: Dict[str, Value] = {"context": context, "namespace": namespace}
    return flags_of(chosen)
