"""What a notebook shows: the queue as it changes, and the page of `kml ui`."""

from __future__ import annotations

import subprocess
from html import escape
from typing import Any

from . import binary
from .arguments import Value, flags_of, refuse
from .errors import Error
from .jobs import NO_TABLE, queue


def watch_queue(**flags: Value) -> None:
    """Shows the queue, and draws it again after each change, until Ctrl-C."""
    refuse("watch_queue()", flags, NO_TABLE)
    try:
        from IPython.display import display
    except ImportError as error:
        raise Error("watch_queue() needs a notebook", str(error), "use `kml queue --watch` in a shell") from error
    kml = binary.start(["queue", "--watch", "-o", "json", *flags_of(flags)], stderr=subprocess.DEVNULL)
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


def ui(height: int = 640, **flags: Value) -> Page:
    """Shows jobs, queue, nodes, runs, sweeps and pipelines as they are now, as `kml ui --web --once` does."""
    refuse("ui()", flags, {flag: ("it returns the page", "use `kml ui` in a shell") for flag in ("once", "web", "help")})
    return Page(binary.run(["ui", "--web", "--once=-", *flags_of(flags)]), height)
