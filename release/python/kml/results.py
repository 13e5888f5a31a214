"""Reads the results of functions from the logs of their jobs, and completes their futures."""

from __future__ import annotations

import base64
import concurrent.futures
import contextlib
import hmac
import pickle
import re
import threading
from typing import Any, Dict, Iterator, Optional, Sequence, Set, Tuple

from . import binary, worker
from .errors import Error, JobFailed
from .jobs import RESULT_PART, Job


class RemoteTraceback(Exception):
    """The cause of an exception that was raised in a job: its traceback there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return "\n" + self.text


class _Parts:
    """Puts together the results that the tasks of a job have printed in parts."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._parts: Dict[Tuple[str, str], Dict[int, str]] = {}  # by pod and seal

    def take(self, line: Dict[str, Any]) -> Tuple[bool, Optional[Tuple[int, bytes]]]:
        """Whether the line is a part of a result, and the task and its pickled outcome once all parts are there.

        Text that looks like a result, but was not sealed by the worker, is never unpickled.
        """
        found = RESULT_PART.match(line["text"])
        if not found:
            return False, None
        task, number, count = (int(word) for word in found.groups()[:3])
        seal, check, part = found.groups()[3:]
        if worker.check(part) != check:
            return True, None  # damaged on its way; the log is read again
        parts = self._parts.setdefault((line["pod"], seal), {})
        parts[number] = part
        if len(parts) < count:
            return True, None
        try:
            outcome = base64.b64decode("".join(parts[i] for i in sorted(parts)))
        except ValueError:
            return True, None
        is_sealed = hmac.compare_digest(worker.seal(self._key, task, outcome), seal)
        return True, (task, outcome) if is_sealed else None


class Collector:
    """Completes the futures of a job: each as soon as its outcome is known."""

    def __init__(self, job: Job, futures: Sequence[Any], key: str) -> None:
        self._job = job
        self._futures = futures
        self._parts = _Parts(key)
        self._failures: Dict[int, BaseException] = {}
        self._lock = threading.RLock()

    def catch_up(self) -> None:
        """Completes the futures whose outcome is known already."""
        with contextlib.suppress(Error):  # the job is gone: follow() reports it
            for line in self._job.lines(in_background=True):
                self._take(line, keeps_text=True)
            if self._job.state in ("Succeeded", "Failed", "Cancelled"):
                for task in range(len(self._futures)):
                    self._end(task)
        if not all(future.done() for future in self._futures):  # follow() reads the log from its start
            for future in self._futures:
                future._text.clear()

    def follow(self) -> None:
        """Follows the log until the job has ended."""
        problem: Optional[BaseException] = None
        try:
            for line in self._job.lines(follow=True, in_background=True):
                with self._lock:
                    self._take(line, keeps_text=True)
        except BaseException as error:
            problem = error
            if isinstance(error, Error) and error.details.get("reason") == "NotFound":
                problem = _lost(self._job, error)
        for task, future in enumerate(self._futures):
            if not future.done():
                self._end(task, problem)

    def watch_tasks(self) -> None:
        """Ends each task of an array that has failed for good while others run."""
        ended: Set[int] = set()
        shown = self._job._args("status", self._job.name, "--watch", "-o", 'jsonpath={.status.failedIndexes}{"\\n"}')
        with contextlib.suppress(Error):
            for line in binary.background_lines(shown):
                for task in _numbers(line):
                    if task not in ended and task < len(self._futures):
                        ended.add(task)
                        self._end(task)

    def _take(self, line: Dict[str, Any], keeps_text: bool) -> None:
        is_part, result = self._parts.take(line)
        rank = line["rank"] if len(self._futures) > 1 else 0
        if keeps_text and rank < len(self._futures):
            text = self._futures[rank]._text
            if not is_part:
                text.append(line["text"] + "\n")
            elif text and text[-1].endswith("\n"):
                text[-1] = text[-1][:-1]  # the worker printed this newline
        if result is None:
            return
        task, outcome = result
        failure, value = _read(outcome)
        if failure:  # an attempt that failed may be tried again; a result is final
            self._failures[task] = failure
        else:
            _complete(self._futures[task], value=value)

    def _end(self, task: int, problem: Optional[BaseException] = None) -> None:
        """Completes the future of a task that has ended. If its result has not arrived, reads its log again."""
        future = self._futures[task]
        job = future.own_job()
        with self._lock:
            if not future.done() and task not in self._failures:
                with contextlib.suppress(Error):
                    for line in job.lines(in_background=True):
                        self._take(line, keeps_text=False)
            if not future.done():
                _complete(future, self._failures.get(task) or problem or _no_result(job))


def _complete(future: Any, failure: Optional[BaseException] = None, value: Any = None) -> None:
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # it was cancelled meanwhile
        if failure:
            future.set_exception(failure)
        else:
            future.set_result(value)


def _numbers(text: str) -> Iterator[int]:
    """The numbers in "1,3-5"."""
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        yield from range(int(first), int(last or first) + 1)


def _read(outcome: bytes) -> Tuple[Optional[BaseException], Any]:
    """The exception, or None and the value."""
    try:
        succeeded, value, *trace = pickle.loads(outcome)
    except Exception as error:
        unreadable = Error("cannot load what the function returned or raised", "%s: %s" % (type(error).__name__, error),
                           "its classes must be importable here, too")
        unreadable.__cause__ = error
        return unreadable, None
    if succeeded:
        return None, value
    if isinstance(value, tuple):  # the worker says why there is no result
        what, why, fix = value
        return JobFailed(what, why, fix, 3), None
    value.__cause__ = RemoteTraceback(trace[0])
    return value, None


def _no_result(job: Job) -> Error:
    """The exception of a task that printed no result: it was killed, has exited early, or its image lacks Python."""
    try:
        if job.state == "Succeeded":
            return JobFailed("job %s has no result" % job.name,
                             "its process exited with code 0 before the function returned, as after os._exit(0)", "", 3)
        return job.failure()
    except Error as unknown:
        return _lost(job, unknown)


def _lost(job: Job, error: Error) -> JobFailed:
    """The exception of a task whose job was deleted, or cannot be read."""
    return JobFailed("the result of job %s is lost" % job.name, error.what, "", 3)
