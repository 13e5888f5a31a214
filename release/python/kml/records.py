"""The records with which a process reads the results of an Executor's jobs, even if another process started them."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict

from .errors import UsageError, reported

_KEPT = 90 * 24 * 3600  # seconds


def _folder() -> str:
    own = os.environ.get("KML_STATE_DIR")
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(own or os.path.join(base, "kml"), "python")


def write(job: str, record: Dict[str, Any]) -> None:
    """Keeps the record of a new job for 90 days: the key of its results, which only this user may read, and its tasks."""
    with reported("cannot write the record of job %s" % job, "set KML_STATE_DIR to a folder that you may write to"):
        _write(_folder(), job, record)


def _write(folder: str, job: str, record: Dict[str, Any]) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for entry in os.scandir(folder):
        if entry.stat().st_mtime < time.time() - _KEPT:
            os.unlink(entry.path)
    path = os.path.join(folder, job + ".json")
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(record, file)
    os.replace(path + ".new", path)


def read(job: str) -> Dict[str, Any]:
    """The record of a job. Raises UsageError if there is none, or if it cannot be read."""
    try:
        with open(os.path.join(_folder(), os.path.basename(job) + ".json")) as file:
            record: Dict[str, Any] = json.load(file)
    except FileNotFoundError:
        raise UsageError("cannot attach to job %s" % job,
                         "no kml.Executor of this user has started such a job on this machine in the last 90 days",
                         "kml.attach takes the name of a future's job; for a job that kml.submit started, use kml.Job(NAME)",
                         2) from None
    except (OSError, ValueError) as error:
        raise UsageError("cannot attach to job %s" % job, "its record cannot be read: %s" % error, "", 2) from error
    return record
