"""kml's errors as exceptions: each says what happened, why, and how to fix it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import traceback
from typing import Any, Dict, Iterator, List, Optional


class Error(Exception):
    """kml rejected the request, or failed.

    what: a statement of what happened. why: the cause, or "". fix: what to do, or "".
    code: kml's exit code. details: everything that kml reported, e.g. httpStatus, reason and problems.
    """

    def __init__(self, what: str, why: str = "", fix: str = "", code: int = 1,
                 details: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(what, why, fix, code, details)
        self.what = what
        self.why = why
        self.fix = fix
        self.code = code
        self.details: Dict[str, Any] = details or {}

    def __str__(self) -> str:
        lines = [self.what]
        lines += ["  " + _problem(problem) for problem in self.details.get("problems", [])]
        if self.why:
            lines.append("  why: " + self.why)
        if self.fix:
            lines.append("  fix: " + self.fix)
        return "\n".join(lines)

    def _render_traceback_(self) -> List[str]:
        """What a notebook shows: the lines of the caller, without those of this package."""
        lines: List[str] = []
        for frame in traceback.extract_tb(self.__traceback__):
            if not frame.filename.startswith(os.path.dirname(__file__)) and not _OF_OTHERS.search(frame.filename):
                where = "" if "ipykernel" in frame.filename else 'File "%s", ' % frame.filename
                lines += ["%sline %s, in %s" % (where, frame.lineno, frame.name), "    %s" % frame.line]
        name, *rest = str(self).splitlines()
        return [*lines, "%s: %s" % (type(self).__name__, name), *rest]


#: Source files between a cell and this package.
_OF_OTHERS = re.compile(r"[/\\](IPython|concurrent[/\\]futures)[/\\]")


def _problem(fields: Dict[str, Any]) -> str:
    """The problem in the form that kml prints: "m5.yaml:9:6 spec.x: is missing"."""
    place = ":".join(str(fields[part]) for part in ("file", "line", "column") if fields.get(part))
    where = " ".join(part for part in (place, fields.get("path", "")) if part)
    return (where + ": " if where else "") + str(fields.get("text", ""))


class UsageError(Error):
    """The request itself is wrong (exit code 2)."""


class JobFailed(Error):
    """The job failed or was cancelled (exit code 3)."""

    @property
    def exit_code(self) -> Optional[int]:
        """The exit code of its program; None if no program failed."""
        cause = self.details.get("cause")
        return cause.get("exitCode") if isinstance(cause, dict) else None


class NotAllowed(Error):
    """The server does not let you do this (exit code 4)."""


class Unreachable(Error):
    """The server did not answer, or the time limit has passed (exit code 5)."""


_CLASSES = {2: UsageError, 3: JobFailed, 4: NotAllowed, 5: Unreachable}


#: What an exit code says if kml printed no error.
_CODES = {2: "the request is wrong", 3: "the job failed or was cancelled", 4: "the server does not allow this",
          5: "the server did not answer, or the time limit has passed"}


def error_of(code: int, stderr: str) -> Error:
    """The exception for kml's exit code and its output on standard error, which is text or JSON."""
    fields = _json_fields(stderr) or _text_fields(stderr) or _last_note(code, stderr)
    kind = _CLASSES.get(code, Error)
    return kind(fields.get("what", ""), fields.get("why", ""), fields.get("fix", ""), code, fields)


def begins_error(line: str) -> bool:
    """Whether this line, on kml's standard error, is the first one of an error, which is text or JSON."""
    return line.startswith("kml: error: ") or line.rstrip() == "{"


def _last_note(code: int, stderr: str) -> Dict[str, Any]:
    """For a command whose exit code alone is the answer, such as `kml wait`."""
    notes = [line for line in stderr.splitlines() if line.strip() and not line.startswith("→ ")]
    if not notes:
        return {"what": "kml ended with exit code %d" % code, "why": _CODES.get(code, "")}
    last = notes[-1]
    return {"what": last[len("kml: "):] if last.startswith("kml: ") else last}


@contextlib.contextmanager
def reported(what: str, fix: str = "") -> Iterator[None]:
    """Turns an error of the operating system into an Error."""
    try:
        yield
    except OSError as error:
        raise Error(what, str(error), fix) from error


def _json_fields(stderr: str) -> Dict[str, Any]:
    begin = 0 if stderr.startswith("{") else stderr.find("\n{") + 1
    try:
        fields = json.loads(stderr[begin:])["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _text_fields(stderr: str) -> Dict[str, Any]:
    fields: Dict[str, Any] = {}
    problems: List[Dict[str, str]] = []
    for line in stderr.splitlines():
        if line.startswith("kml: error: "):
            fields, problems = {"what": line[len("kml: error: "):]}, []
        elif line.startswith("  why: "):
            fields["why"] = line[len("  why: "):]
        elif line.startswith("  fix: "):
            fields["fix"] = line[len("  fix: "):]
        elif fields and line.startswith("  "):
            problems.append({"text": line.strip()})
    if problems:
        fields["problems"] = problems
    return fields
