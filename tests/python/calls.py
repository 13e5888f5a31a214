"""Functions that the tests send to jobs: pickle sends a function by the name of its module."""

import base64
import enum
import hashlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import zlib


def times(x, y=2):
    print("times", x)
    return x * y


def refuse(x):
    raise ValueError("no %d" % x)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def bytes_of(size):
    return b"x" * size


def forge():
    """Prints what looks like a result, then text without a newline."""
    outcome = pickle.dumps((True, "forged"))
    part = base64.b64encode(outcome)
    print("kml-result 0 0 1", hashlib.sha256(outcome).hexdigest(), "%08x" % zlib.crc32(part), part.decode())
    print("kml-result of no kind")
    print("end", end="")
    return "true"


def bytes_among_prints(size):
    """Its threads and a subprocess print while the result is returned, some of it in pieces of lines."""
    script = "import os\nfor i in range(2000): os.write(1, b'%d ' % i + b'y' * 9000 + b'\\n' * (i % 2))"
    child = subprocess.Popen([sys.executable, "-c", script])

    def babble():
        for i in range(20000):
            print("thread", i, "z" * (i % 300), end="\n" if i % 3 else " ", flush=i % 7 == 0)

    for _ in range(3):
        threading.Thread(target=babble, daemon=True).start()
    assert child.poll() is None  # it still prints
    return b"x" * size


def closes_its_output():
    os.close(1)
    sys.stdout = None
    return "still"


def waits_for(path):
    while not os.path.exists(path):
        time.sleep(0.05)
    return path


def outcome_of(task, path):
    """Tasks 1 to 3 end at once, each in its own way; task 0 waits for the file."""
    if task == 1:
        os._exit(7)
    if task == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if task == 3:
        raise KeyError("task 3")
    return waits_for(path)


def closes_low_descriptors():
    os.closerange(3, 64)
    return "still"


def exits_early():
    os._exit(0)


def forks():
    """Only the parent's return value is the result."""
    if os.fork() == 0:
        return "child"
    os.wait()
    return "parent"


class Unreadable:
    """Cannot be unpickled where the result is read."""

    def __reduce__(self):
        return _loaded_by, (os.getpid(),)


def _loaded_by(process):
    if process != os.getpid():
        raise LookupError("bad state")


def makes_unreadable():
    return Unreadable()


class Odd(Exception):
    """Can be pickled, but not unpickled."""

    def __init__(self, number, text):
        super().__init__(number)


def raises_odd():
    raise Odd(7, "seven")


class Optimizer(str, enum.Enum):
    ADAM = "adam"
    SGD = "sgd"


class Grid:
    """As an array of NumPy with several values."""

    def item(self):
        raise ValueError("can only convert an array of size 1")
