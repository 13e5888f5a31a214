"""Runs Python functions as jobs, with the interface of concurrent.futures and of submitit."""

from __future__ import annotations

import concurrent.futures
import os
import re
import sys
import tempfile
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, TypeVar, Union

from . import packing, records
from .arguments import Value, refuse, text_of
from .errors import Error, UsageError, reported
from .jobs import REFUSED, Job, submit
from .results import Collector

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


class Future(concurrent.futures.Future[T]):
    """The future result of a function that runs as a job."""

    def __init__(self, job: Job, task: Optional[int] = None) -> None:
        super().__init__()
        self.job = job
        self.task = task
        self._text: List[str] = []

    def cancel(self) -> bool:
        """Cancels the job, or this task of map_array. False if it has ended, or if kml cannot cancel it."""
        try:
            if not self.done():
                self.own_job().cancel()
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
        """Why the job does not run, or why it failed, and how to fix it."""
        return self.own_job().why()

    def own_job(self) -> Job:
        """The job, or of map_array the task ("NAME-3"), whose log, state and cause are those of this function alone."""
        if self.task is None:
            return self.job
        return Job("%s-%d" % (self.job.name, self.task), self.job.context, self.job.namespace, self.job.kubeconfig)

    def __repr__(self) -> str:
        task = "" if self.task is None else "-%d" % self.task
        return "<kml.Future %s%s %s>" % (self.job.name, task, self._state.lower())


class ExecutorClosed(UsageError, RuntimeError):
    """The executor accepts no more functions. Also a RuntimeError, as in concurrent.futures."""


#: Keyword arguments of submit() that have no meaning for functions: why, and the fix.
_REFUSED: Dict[str, Sequence[str]] = {
    **REFUSED,
    **{flag: ("a function has no result before its job starts", "use kml.schedule() with a command")
       for flag in ("cron", "every", "at")},
    "follow": ("its futures have the output", "use future.stdout()"),
    "wait": ("its futures wait", "use future.result()"),
    "timeout": ("its futures wait", "use future.result(timeout=...)"),
    "array": ("it numbers the tasks itself", "use map_array()"),
    "code": ("it sends the functions themselves",
             'modules=["mine"] sends modules of yours; use an image or a volume for other files'),
}


class Executor(concurrent.futures.Executor):
    """Runs functions as jobs: `with kml.Executor(gpus=1, image="...") as ex: ex.submit(f, x).result()`.

    Keyword arguments are those of kml.submit; jobs are named after `name`, or the function. Functions are pickled by
    cloudpickle if it is installed, otherwise by pickle, which cannot send functions that a notebook or script defines.
    The image needs the Python version of this process; `python` names the image's interpreter. On this machine, jobs use this
    interpreter, and can import the same modules as this process. On a cluster, modules of yours that the image lacks
    are sent only if the modules, or their names, are in `modules` (needs cloudpickle). `requirements` (a file) or `uv`
    (for this folder's pyproject.toml) installs the packages that the functions need. All calls of a job may have at most
    16 MiB, compressed, and each result at most 4 MiB. For larger data, pass the path of a file.
    """

    def __init__(self, *, python: Optional[str] = None, modules: Sequence[Union[str, ModuleType]] = (),
                 **settings: Value) -> None:
        refuse("Executor()", settings, _REFUSED)
        self._python = python and text_of("python", python)
        self._modules = packing.modules_of(modules)
        self._settings = settings
        if settings.pop("uv", False):  # --uv would look into worker.py, which requests no packages
            with reported("cannot find pyproject.toml"):
                settings["requirements"] = os.path.abspath("pyproject.toml")
        self._futures: List[Future[Any]] = []
        self._threads: List[threading.Thread] = []
        self._closed = False

    def submit(self, fn: "Callable[P, T]", /, *args: "P.args", **kwargs: "P.kwargs") -> Future[T]:
        """Runs fn(*args, **kwargs) as a separate job. Returns a Future."""
        futures: List[Future[T]] = self._start(fn, [(args, kwargs)], array=False)
        return futures[0]

    def map_array(self, fn: Callable[..., T], *iterables: Iterable[Any],
                  at_once: Optional[int] = None) -> List[Future[T]]:
        """Runs fn once for each element, or tuple of elements, as the tasks of one array job.

        at_once: how many of them may run at a time.
        """
        try:
            calls: List[Any] = [(args, {}) for args in zip(*iterables)]
        except TypeError as error:
            raise UsageError("map_array() needs lists of arguments", str(error), "map_array(f, [1, 2, 3])", 2) from error
        if at_once is not None and (not isinstance(at_once, int) or at_once < 1):
            raise UsageError("at_once: cannot use %r" % (at_once,), "", "give a number of tasks", 2)
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
            raise ExecutorClosed("this executor was shut down", "", "make a new kml.Executor", 2)
        if not callable(fn):
            raise UsageError("cannot run %.80r" % (fn,), "it is not a function", "submit(f, x) runs f(x)", 2)
        settings: Dict[str, Any] = {**self._settings, "name": _job_name(str(self._settings.get("name") or
                                                                            getattr(fn, "__name__", "call")))}
        if array:
            settings["array"] = "0-%d%s" % (len(calls) - 1, "%%%d" % at_once if at_once else "")
        key = os.urandom(32).hex()
        with reported("cannot write the files of the call"), tempfile.TemporaryDirectory(prefix="kml-") as folder:
            size = packing.pack(folder, fn, calls, key, self._modules)
            records.write(settings["name"], {"key": key, "tasks": len(calls) if array else None})
            try:
                job = submit(self._command(), code=folder, **settings)
            except Error as error:
                raise _of_call(error, folder, size) from error.__cause__
        futures, threads = _follow(job, len(calls) if array else None, key)
        self._futures += futures
        self._threads += threads
        return futures

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        # Ctrl-C ends the wait, not the jobs: their futures stay usable.
        self.shutdown(wait=not (kind and issubclass(kind, KeyboardInterrupt)))

    def _command(self) -> List[str]:
        if self._python:
            return [self._python, "worker.py"]
        if self._settings.get("requirements") or self._settings.get("conda"):
            return ["python", "worker.py"]  # the environment's Python
        # This interpreter if the pod has it, as on this machine; otherwise the image's.
        script = 'if [ -x "$0" ]; then exec "$0" worker.py; else exec python3 worker.py; fi'
        return ["sh", "-c", script, sys.executable]


def _of_call(error: Error, folder: str, size: int) -> Error:
    """The error of submit(), without the folder, which the caller does not know."""
    if "is too large for" in error.what and folder in error.what:
        return UsageError("the arguments are too large: %.1f MiB" % (size / (1 << 20)),
                          "all calls of a job, with their arguments, must fit into 16 MiB when compressed",
                          'put large data on a volume, mount="pvc/NAME:/data", and pass its path', 2)
    error.fix = error.fix.replace(" --code=%s" % folder, "")
    return error


def _follow(job: Job, tasks: Optional[int], key: str,
            is_new: bool = True) -> Tuple[List[Any], List[threading.Thread]]:
    """The futures of a job, and the threads that complete them. `tasks` is None unless the job is an array."""
    futures: List[Future[Any]] = [Future(job, None if tasks is None else task) for task in range(tasks or 1)]
    collector = Collector(job, futures, key)
    if not is_new:
        collector.catch_up()
        if all(future.done() for future in futures):
            return futures, []
    threads = [threading.Thread(target=target, name="kml " + job.name, daemon=True)
               for target in ([collector.follow] if tasks is None else [collector.follow, collector.watch_tasks])]
    for thread in threads:
        thread.start()
    return futures, threads


def attach(job: Union[str, Job], context: Optional[str] = None, namespace: Optional[str] = None,
           kubeconfig: Optional[str] = None) -> Any:
    """The future of a job that an Executor of this user has started, even in an earlier process; for map_array, a
    list of futures. If the job has ended, they are done at once.

        kml.attach("train-1a2b3c4d").result()
    """
    found = job if isinstance(job, Job) else Job(job, context, namespace, kubeconfig)
    record = records.read(found.name)
    futures, _ = _follow(found, record["tasks"], record["key"], is_new=False)
    return futures if record["tasks"] is not None else futures[0]


def _job_name(base: str) -> str:
    """A new name that Kubernetes accepts: of lower-case letters, digits and hyphens."""
    words = "-".join(re.findall("[a-z0-9]+", base.lower()))
    return "%s-%s" % (words[:40] or "call", os.urandom(4).hex())
