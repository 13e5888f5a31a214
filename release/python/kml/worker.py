"""Runs one pickled call in a job, and prints its result. It is sent with the call, so it imports nothing of kml."""

import base64
import contextlib
import fcntl
import hashlib
import hmac
import json
import linecache
import os
import pickle
import select
import sys
import traceback
import zlib
from typing import Any, Dict, Tuple

#: Begins a line of the log with a part of a result: "kml-result TASK PART PARTS SEAL CHECK BASE64".
MARK = "kml-result"
#: A log of a cluster's node is rotated at 10 MiB.
LARGEST = 4 << 20
#: A write of at most 4096 bytes (Linux's PIPE_BUF) is not mixed with those of other threads and processes.
_PART = 3800
#: The output is duplicated to a descriptor from this number on, because functions close low ones.
_HIGH = 200


def seal(key: str, task: int, outcome: bytes) -> str:
    """Proves that a result comes from a program that knows the key, which lies beside this one."""
    return hmac.new(key.encode(), b"%d " % task + outcome, hashlib.sha256).hexdigest()


def check(part: str) -> str:
    """A checksum that shows whether a part is intact."""
    return "%08x" % zlib.crc32(part.encode())


class _Refusal(Exception):
    """Why the call has no result: what, why and fix, as in kml.Error."""


def _call(folder: str, task: int, about: Dict[str, Any]) -> Any:
    here = list(sys.version_info[:2])
    if here != about["python"]:
        raise _Refusal("the image has Python %d.%d, but Python %d.%d sent the function" % (*here, *about["python"]),
                       "functions of one version rarely run in another", "use an image with the same version")
    sys.path += [entry for entry in about["path"] if entry not in sys.path]
    if about["chdir"] and os.path.isdir(about["chdir"]):
        os.chdir(about["chdir"])
    with open(os.path.join(folder, "call-%d.pkl" % task), "rb") as file:
        function, args, kwargs = pickle.load(file)
    return function(*args, **kwargs)


def _pickled(outcome: object) -> bytes:
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(outcome)
    pickled: bytes = cloudpickle.dumps(outcome)
    return pickled


def _result(folder: str, task: int, about: Dict[str, Any]) -> bytes:
    value = _call(folder, task, about)
    try:
        outcome = _pickled((True, value))
    except Exception as error:
        raise _Refusal("cannot send the result back", "%s: %s" % (type(error).__name__, error),
                       "return a value that can be pickled") from None
    if len(outcome) > LARGEST:
        raise _Refusal("the result is too large", "it has %d bytes, but at most %d can be sent back"
                       % (len(outcome), LARGEST), "write it to a volume, and return its path")
    return outcome


def _trace_of(error: BaseException) -> str:
    """The traceback, without the frames of this file."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def _outcome(folder: str, task: int, about: Dict[str, Any]) -> bytes:
    """Pickled: (True, result), (False, exception, its traceback as text), or (False, words of a refusal, text)."""
    try:
        return _result(folder, task, about)
    except _Refusal as refusal:
        return pickle.dumps((False, refusal.args, "kml: " + ": ".join(refusal.args[:2]) + "\n"))
    except BaseException as error:
        text = _trace_of(error)
        try:
            outcome = _pickled((False, error, text))
            pickle.loads(outcome)  # an exception with its own constructor may be pickled, but not unpickled
            return outcome
        except Exception as unusable:
            words = ("the function raised %s: %s" % (type(error).__name__, error),
                     "this exception itself cannot be sent back: %s: %s" % (type(unusable).__name__, unusable), "")
            return pickle.dumps((False, words, text))


class _Output:
    """The standard output at the start of the process. The function may close or redirect its descriptors."""

    def __init__(self) -> None:
        try:
            self._copy = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        except OSError:  # the limit of descriptors is lower
            self._copy = os.dup(1)
        self._file = self._identity(1)

    @staticmethod
    def _identity(descriptor: int) -> Tuple[int, int]:
        found = os.fstat(descriptor)
        return found.st_dev, found.st_ino

    def descriptor(self) -> int:
        """A descriptor that is still this output. Raises RuntimeError if the function has closed all of them."""
        for descriptor in (self._copy, 1):
            with contextlib.suppress(OSError):
                if self._identity(descriptor) == self._file:
                    return descriptor
        raise RuntimeError("the function has closed all descriptors, so its result cannot be sent back")


def _send(channel: int, task: int, outcome: bytes, key: str) -> None:
    """Prints the outcome. Each part has a line of its own, whatever else is printed at the same time."""
    text = base64.b64encode(outcome).decode()
    parts = [text[at:at + _PART] for at in range(0, len(text), _PART)]
    proof = seal(key, task, outcome)
    for number, part in enumerate(parts):
        line = "\n%s %d %d %d %s %s %s\n" % (MARK, task, number, len(parts), proof, check(part), part)
        while True:
            try:
                os.write(channel, line.encode())
                break
            except BlockingIOError:  # the function has made its output non-blocking
                select.select([], [channel], [])


def _exit_code(error: BaseException) -> int:
    """The exit code for an error: 7 for sys.exit(7), but never 0."""
    code = error.code if isinstance(error, SystemExit) else 1
    return code & 0xFF or 1 if isinstance(code, int) else 1


def main() -> int:
    output, process = _Output(), os.getpid()
    folder = os.path.dirname(os.path.abspath(__file__))
    task = int(os.environ.get("KML_TASK") or 0)
    sys.path[0:1] = [os.path.join(folder, "packages")]
    with open(os.path.join(folder, "about.json")) as file:
        about = json.load(file)
    key = about.pop("key")
    for name, lines in about.pop("sources").items():  # for tracebacks; without a time, they are never looked up
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    outcome = _outcome(folder, task, about)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the function may have closed it
            stream.flush()
    succeeded, value, *trace = pickle.loads(outcome)
    if os.getpid() == process:  # what a fork returns is not the function's result
        _send(output.descriptor(), task, outcome, key)
    if not succeeded:
        with contextlib.suppress(OSError):
            os.write(2, trace[0].encode(errors="replace"))  # last, so that it is what `kml why` shows
    return 0 if succeeded else _exit_code(value)


if __name__ == "__main__":
    sys.exit(main())
