"""kml from Python: submit jobs, ask why they wait, run functions as jobs.

    job = kml.submit("python train.py", gpus=1, image="pytorch/pytorch").wait()
    with kml.Executor(gpus=1, image="...") as ex:
        print(ex.submit(train, lr=0.1).result())

This package runs the program kml, so it does what kml does on the command line, to the same targets.
"""

from __future__ import annotations

TYPE_CHECKING = False  # True for type checkers; importing typing would take longer than everything else
if TYPE_CHECKING:
    from typing import Any

    from .errors import Error, JobFailed, NotAllowed, Unreachable, UsageError
    from .executor import Executor, Future, attach
    from .jobs import Answer, Job, queue, runs, submit
    from .notebook import Page, ui, watch_queue
    from .schedules import Schedule, schedule
    from .sweeps import Sweep, sweep
    from .table import Table

__all__ = ["Answer", "Error", "Executor", "Future", "Job", "JobFailed", "NotAllowed", "Page", "Schedule", "Sweep", "Table",
           "Unreachable", "UsageError", "attach", "queue", "runs", "schedule", "submit", "sweep", "ui", "watch_queue"]

_WHERE = {"Answer": "jobs", "Job": "jobs", "queue": "jobs", "runs": "jobs", "submit": "jobs",
          "Error": "errors", "JobFailed": "errors", "NotAllowed": "errors", "Unreachable": "errors",
          "UsageError": "errors", "Executor": "executor", "Future": "executor", "attach": "executor",
          "Schedule": "schedules", "schedule": "schedules", "Sweep": "sweeps", "sweep": "sweeps", "Table": "table",
          "Page": "notebook", "ui": "notebook", "watch_queue": "notebook"}


def __getattr__(name: str) -> Any:
    # Loaded when first used, so that "import kml" takes no time.
    if name not in _WHERE:
        raise AttributeError("module 'kml' has no attribute %r" % name)
    from importlib import import_module

    value = getattr(import_module("." + _WHERE[name], __name__), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """Called by %load_ext kml."""
    from .magics import load

    load(shell)
