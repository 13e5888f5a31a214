"""Runs Python functions as jobs, with the interface of concurrent.futures and of submitit."""

from __future__ import annotations

import base64
import concurrent.futures
import contextlib
import hmac
import importlib
import json
import os
import pickle
import re
import shutil
import sys
import tempfile
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, TypeVar, Union

from . import binary, worker
from .errors import Error, JobFailed, UsageError
from .jobs import Job, submit

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


class RemoteTraceback(Exception):
    """The cause of an exception that was raised in a job: its traceback there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return "\n" + self.text


class Future(concurrent.futures.Future[T]):
    """The result to come of a function that runs as a job."""

    def __init__(self, job: Job, task: Optional[int] = None) -> None:
        super().__init__()
        self.job = job
        self.task = task
        self._text: List[str] = []

    def cancel(self) -> bool:
        """Cancels the job, or this task of map_array. False if it has ended, or if kml cannot cancel it."""
        name = self.job.name if self.task is None else "%s-%d" % (self.job.name, self.task)
        try:
            if not self.done():
                Job(name, self.job.context, self.job.namespace).cancel()
        except Error:
            return False
        return super().cancel() and not self.set_running_or_notify_cancel()

    def running(self) -> bool:
        """Whether the job has not ended; it may still wait in the queue."""
        return not self.done()

    def stdout(self) -> str:
        """What the function has printed so far."""
        return "".join(self._text)

    def why(self) -> Any:
        """Why the job does not run, or why it failed, and what to do."""
        return self.job.why()

    def __repr__(self) -> str:
        task = "" if self.task is None else "-%d" % self.task
        return "<kml.Future %s%s %s>" % (self.job.name, task, self._state.lower())


class Executor(concurrent.futures.Executor):
    """Runs functions as jobs: `with kml.Executor(gpus=1, image="...") as ex: ex.submit(f, x).result()`.

    Keyword arguments are those of kml.submit; jobs are named after `name`, or the function. Functions are pickled by
    cloudpickle if it is installed, otherwise by pickle, which refuses those of a notebook. The image needs the Python
    version of this process; `python` names its interpreter. On this machine, jobs use this interpreter, and import what
    this process can import. On a cluster, modules of yours that the image lacks are sent only if they, or their names,
    are in `modules` (needs cloudpickle). A call may have at most 16 MiB, compressed, and its result 4 MiB: give the path
    of larger data.
    """

    def __init__(self, *, python: Optional[str] = None, modules: Sequence[Union[str, ModuleType]] = (),
                 **settings: binary.Value) -> None:
        self._python = python
        self._modules = [_module(module) for module in ([modules] if isinstance(modules, str) else modules)]
        self._settings = settings
        self._futures: List[Future[Any]] = []
        self._threads: List[threading.Thread] = []
        self._closed = False

    def submit(self, fn: "Callable[P, T]", /, *args: "P.args", **kwargs: "P.kwargs") -> Future[T]:
        """Runs fn(*args, **kwargs) as a job of its own. Returns a Future."""
        futures: List[Future[T]] = self._start(fn, [(args, kwargs)], array=False)
        return futures[0]

    def map_array(self, fn: Callable[..., T], *iterables: Iterable[Any],
                  at_once: Optional[int] = None) -> List[Future[T]]:
        """Runs fn once for each element, or tuple of elements, as the tasks of one array job.

        at_once: how many of them may run at a time.
        """
        calls: List[Any] = [(args, {}) for args in zip(*iterables)]
        return self._start(fn, calls, array=True, at_once=at_once) if calls else []

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accepts no more functions. With `wait`, returns once all have ended."""
        self._closed = True
        if cancel_futures:
            for future in self._futures:
                future.cancel()
        if wait:
            for thread in self._threads:
                thread.join()

    def _start(self, fn: Callable[..., Any], calls: Sequence[Tuple[Any, Any]], array: bool,
               at_once: Optional[int] = None) -> List[Any]:
        if self._closed:
            raise RuntimeError("cannot submit to an executor that was shut down")
        settings: Dict[str, Any] = {**self._settings, "name": _job_name(str(self._settings.get("name") or
                                                                            getattr(fn, "__name__", "call")))}
        if array:
            settings["array"] = "0-%d%s" % (len(calls) - 1, "%%%d" % at_once if at_once else "")
        key = os.urandom(32).hex()
        with tempfile.TemporaryDirectory(prefix="kml-") as folder:
            self._pack(folder, fn, calls, key)
            job = submit(self._command(), code=folder, **settings)
        futures: List[Future[Any]] = [Future(job, task if array else None) for task in range(len(calls))]
        self._futures += futures
        thread = threading.Thread(target=_collect, args=(job, futures, key), name="kml " + job.name, daemon=True)
        self._threads.append(thread)
        thread.start()
        return futures

    def _command(self) -> List[str]:
        if self._python:
            return [self._python, "worker.py"]
        # This interpreter if the pod has it, as on this machine; otherwise the image's.
        script = 'if [ -x "$0" ]; then exec "$0" worker.py; else exec python3 worker.py; fi'
        return ["sh", "-c", script, sys.executable]

    def _pack(self, folder: str, fn: Callable[..., Any], calls: Sequence[Tuple[Any, Any]], key: str) -> None:
        shutil.copy(worker.__file__, os.path.join(folder, "worker.py"))
        about = {"python": list(sys.version_info[:2]), "path": [os.path.abspath(entry) for entry in sys.path],
                 "chdir": os.getcwd(), "key": key}
        with open(os.path.join(folder, "about.json"), "w") as file:
            json.dump(about, file)
        dumps = _dumps(self._modules, folder)
        for task, (args, kwargs) in enumerate(calls):
            with open(os.path.join(folder, "call-%d.pkl" % task), "wb") as out:
                out.write(dumps((fn, args, kwargs)))


def _module(module: Union[str, ModuleType]) -> ModuleType:
    if not isinstance(module, str):
        return module
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError("modules: cannot import %s" % module, str(error), "name modules that this process can import",
                         2) from error


def _job_name(base: str) -> str:
    """A new name that Kubernetes accepts: of lower-case letters, digits and hyphens."""
    words = "-".join(re.findall("[a-z0-9]+", base.lower()))
    return "%s-%s" % (words[:40] or "call", os.urandom(4).hex())


def _dumps(modules: Sequence[ModuleType], folder: str) -> Callable[[Any], bytes]:
    """The function that pickles calls. cloudpickle is copied into the folder, because its pickles need it."""
    try:
        import cloudpickle
    except ImportError:
        if modules:
            raise Error("cannot send modules", "cloudpickle is not installed", "pip install cloudpickle") from None
        return _plain_dumps
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    shutil.copytree(os.path.dirname(cloudpickle.__file__), os.path.join(folder, "packages", "cloudpickle"),
                    ignore=shutil.ignore_patterns("__pycache__"))
    dumps: Callable[[Any], bytes] = cloudpickle.dumps
    return dumps


def _plain_dumps(call: Any) -> bytes:
    function = call[0]
    if getattr(function, "__module__", "") == "__main__":
        raise Error("cannot send the function %s" % getattr(function, "__name__", function),
                    "it is defined in a notebook or script, which pickle refuses", "pip install cloudpickle")
    return pickle.dumps(call)


class _Results:
    """Puts together the results that the tasks of a job have printed in parts."""

    _PART = re.compile(worker.MARK + r" (\d+) (\d+) (\d+) ([0-9a-f]{64}) ([A-Za-z0-9+/=]+)$")

    def __init__(self, key: str) -> None:
        self._key = key
        self._parts: Dict[Tuple[str, str], Dict[int, str]] = {}  # by pod and seal

    def take(self, line: Dict[str, Any]) -> Tuple[str, Optional[Tuple[int, bytes]]]:
        """The text that the function itself printed, and the task and its pickled outcome once all parts are there.

        Text that looks like a result, but was not sealed by the worker, is never unpickled.
        """
        found = self._PART.search(line["text"])
        if not found:
            return line["text"] + "\n", None
        task, number, count = (int(word) for word in found.groups()[:3])
        seal, part = found.groups()[3:]
        parts = self._parts.setdefault((line["pod"], seal), {})
        parts[number] = part
        text = line["text"][:found.start()]  # that of a last line without an end
        if len(parts) < count:
            return text, None
        try:
            outcome = base64.b64decode("".join(parts[i] for i in sorted(parts)))
        except ValueError:
            return text, None
        is_sealed = hmac.compare_digest(worker.seal(self._key, task, outcome), seal)
        return text, (task, outcome) if is_sealed else None


def _collect(job: Job, futures: List[Future[Any]], key: str) -> None:
    """Follows the log of a job until it has ended, and completes its futures."""
    results = _Results(key)
    failures: Dict[int, BaseException] = {}
    problem: Optional[BaseException] = None
    try:
        for line in job.lines(follow=True):
            text, result = results.take(line)
            rank = line["rank"] if len(futures) > 1 else 0
            if text and rank < len(futures):
                futures[rank]._text.append(text)
            if result is None:
                continue
            task, outcome = result
            failure, value = _read(outcome)
            # An attempt that failed may be tried again; a result is final.
            if failure:
                failures[task] = failure
            else:
                with contextlib.suppress(concurrent.futures.InvalidStateError):  # it was cancelled meanwhile
                    futures[task].set_result(value)
    except BaseException as error:
        problem = error
    for task, future in enumerate(futures):
        if not future.done():
            with contextlib.suppress(concurrent.futures.InvalidStateError):
                future.set_exception(failures.get(task) or problem or _no_result(job))


def _read(outcome: bytes) -> Tuple[Optional[BaseException], Any]:
    """The exception, or None and the value."""
    try:
        succeeded, value, *trace = pickle.loads(outcome)
    except Exception as error:
        return error, None  # e.g. a class that cannot be imported here
    if succeeded:
        return None, value
    value.__cause__ = RemoteTraceback(trace[0])
    return value, None


def _no_result(job: Job) -> Error:
    """The exception of a task that printed no result: it was killed, or its image lacks Python."""
    try:
        return job.failure()
    except Error as unknown:
        return JobFailed("job %s printed no result" % job.name, unknown.what)
