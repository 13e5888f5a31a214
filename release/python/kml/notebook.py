"""Magics for notebooks: `%load_ext kml`, then `%%kml submit --gpus 1` above a cell, or `%kml queue`."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from html import escape
from typing import Any, List, Optional

from . import binary
from .errors import Error, error_of
from .jobs import Job, queue
from .table import Table


def load(shell: Any) -> None:
    """Registers the magics with IPython."""
    shell.register_magic_function(_magic, "line_cell", "kml")


def _magic(line: str, cell: Optional[str] = None) -> Any:
    """%kml COMMAND: runs kml and shows its output. %%kml submit FLAGS: runs the cell as a Python program in a job."""
    words = shlex.split(line)
    try:
        if cell is None:
            return _run(words)
        if words[:1] != ["submit"]:
            raise error_of(2, "kml: error: only %%kml submit can have a cell\n  fix: %kml " + line)
        return _submit(words[1:], cell)
    except KeyboardInterrupt:
        return None
    except Error as error:
        raise _without_frames(error) from None


def _without_frames(error: Error) -> Error:
    """Makes IPython show only the error's text: its frames are in this module, and the cell's are in the job's log."""
    setattr(error, "_render_traceback_", lambda: str(error).splitlines())
    return error


def _run(words: List[str]) -> Optional[Table]:
    if words[:1] == ["queue"] and len(words) == 1:
        return queue()
    with binary.start(words, stderr=subprocess.STDOUT) as kml:
        try:
            for text in kml.stdout or ():
                print(text, end="")
        finally:
            kml.terminate()
    return None


def _submit(flags: List[str], cell: str) -> Job:
    """Submits the cell and shows its log. Ctrl-C leaves the log; the job continues."""
    with tempfile.TemporaryDirectory(prefix="kml-") as folder:
        with open(os.path.join(folder, "cell.py"), "w", encoding="utf-8") as file:
            file.write(cell)
        command = flags[flags.index("--") + 1:] if "--" in flags else ["python3"]
        chosen = flags[:flags.index("--")] if "--" in flags else flags
        made = binary.run_json(["submit", *chosen, "--code", folder], ["--", *command, "cell.py"])
    job = Job(made["metadata"]["name"], _value(chosen, "--context"), made["metadata"].get("namespace"))
    try:
        for line in job.lines(follow=True):
            print(line["text"])
    except KeyboardInterrupt:
        print("job %s continues; kml.Job(%r).cancel() ends it" % (job.name, job.name))
        return job
    return job.wait()


def _value(flags: List[str], name: str) -> Optional[str]:
    for i, flag in enumerate(flags):
        if flag.startswith(name + "="):
            return flag[len(name) + 1:]
        if flag == name and i + 1 < len(flags):
            return flags[i + 1]
    return None


def watch_queue(**flags: binary.Value) -> None:
    """Shows the queue, and draws it again after each change, until Ctrl-C."""
    from IPython.display import display

    kml = binary.start(["queue", "--watch", "-o", "json", *binary.flags_of(flags)], stderr=subprocess.DEVNULL)
    try:
        shown: Any = display(queue(**flags), display_id=True)  # type: ignore[no-untyped-call]
        for _ in kml.stdout or ():
            shown.update(queue(**flags))
    except KeyboardInterrupt:
        pass
    finally:
        kml.terminate()
        kml.communicate()


class Page:
    """A page that a notebook shows. `html` is the whole page."""

    def __init__(self, html: str, height: int) -> None:
        self.html, self.height = html, height

    def __repr__(self) -> str:
        return "Page(%d bytes)" % len(self.html)

    def _repr_html_(self) -> str:
        # In a separate frame, whose scripts can neither read nor change the notebook.
        return ('<iframe sandbox="allow-scripts" srcdoc="%s" style="width:100%%;height:%dpx;border:0"></iframe>'
                % (escape(self.html), self.height))


def ui(height: int = 640, **flags: binary.Value) -> Page:
    """Shows jobs, queue, nodes, runs, sweeps and pipelines as they are now, as `kml ui --web --once` does."""
    return Page(binary.run(["ui", "--web", "--once=-", *binary.flags_of(flags)]), height)
