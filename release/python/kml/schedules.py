"""Schedules, which start jobs at set times."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Union

from . import binary
from .arguments import Value, command_words, flags_of, refuse
from .errors import Error, UsageError
from .jobs import REFUSED, name_and_place
from .named import Named

_TIMES = ("cron", "every", "at")


class Schedule(Named):
    """A schedule, which starts jobs that are called after it."""

    def status(self) -> Dict[str, Any]:
        """Its times, the next start, and the outcome of the last job, as in `kml schedule list`."""
        for found in binary.run_json(self._args("schedule", "list")):
            if found.get("name") == self.name:
                return dict(found)
        raise Error("no schedule \"%s\"" % self.name, "", "`kml schedule list` shows the schedules")

    def pause(self) -> None:
        """Starts no more jobs until resume()."""
        binary.run(self._args("schedule", "pause", self.name))

    def resume(self) -> None:
        """Starts jobs again."""
        binary.run(self._args("schedule", "resume", self.name))

    def delete(self) -> None:
        """Deletes the schedule with its jobs and their logs."""
        binary.run(self._args("schedule", "delete", self.name))

    def __repr__(self) -> str:
        return "Schedule(%r)" % self.name


def schedule(command: Union[str, Sequence[str]], *, cron: Optional[str] = None, every: Optional[str] = None,
             at: Optional[str] = None, context: Optional[str] = None, namespace: Optional[str] = None,
             kubeconfig: Optional[str] = None, **flags: Value) -> Schedule:
    """Starts a command as a job at set times, as `kml submit` does with --cron, --every or --at.

    cron: "0 3 * * *". every: "6h". at: "tomorrow 9:00", for one start. The other arguments are those of submit().
    """
    times: Dict[str, Value] = {"cron": cron, "every": every, "at": at}
    if not any(times.values()):
        raise UsageError("schedule() needs a time", "", "give cron, every or at", 2)
    refuse("schedule()", flags, {**REFUSED, "wait": ("no job starts now", "leave it out")})
    chosen: Dict[str, Value] = {**times, "context": context, "namespace": namespace, "kubeconfig": kubeconfig, **flags}
    made = binary.run_json(["submit", *flags_of(chosen)], ["--", *command_words(command)], binary.show_note)
    return Schedule(*name_and_place(made, context, namespace, kubeconfig))
