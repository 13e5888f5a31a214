"""Jobs: submit a command, follow it, ask why it does not run."""

from __future__ import annotations

import math
import os
import re
import subprocess
from html import escape
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import binary, worker
from .arguments import Value, command_words, flags_of, refuse
from .errors import JobFailed, UsageError, error_of
from .named import Named
from .table import Table, number

#: A line with a part of a function's result: task, number, count, seal, check, part.
RESULT_PART = re.compile(worker.MARK + r" (\d+) (\d+) (\d+) ([0-9a-f]{64}) ([0-9a-f]{8}) ([A-Za-z0-9+/=]+)$")


class Answer(Dict[str, Any]):
    """The output of `kml why`: a job's state, the cause, and the last lines of its log. str() makes a short text of it."""

    @property
    def state(self) -> str:
        """Waiting, Running, Cancelling, Suspended, Unknown, Succeeded, Failed or Cancelled."""
        return str(self["state"])

    @property
    def commands(self) -> List[str]:
        """Commands that help, the best first."""
        return [remedy["command"] for remedy in self["cause"]["remedies"] if remedy.get("command")]

    def __str__(self) -> str:
        lines = ["%s: %s: %s" % (self["job"], self.state, self["cause"]["summary"])]
        lines += ["  next: " + command for command in self.commands]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>" % escape(str(self))


class Job(Named):
    """A job of the cluster, or of this machine."""

    def lines(self, follow: bool = False, rank: Optional[int] = None,
              in_background: bool = False) -> Iterator[Dict[str, Any]]:
        """The lines of the log as dictionaries with time, pod, rank and text; with `follow` until the job ends.

        `in_background`: Ctrl-C does not end it.
        """
        args = self._args("logs", self.name, "-o", "json", *flags_of({"follow": follow, "rank": rank}))
        if in_background:
            yield from binary.objects_in(binary.background_lines(args, subprocess.PIPE))
            return
        with binary.start(args, subprocess.PIPE) as kml:
            try:
                yield from binary.objects_in(kml.stdout)
                message = kml.stderr.read() if kml.stderr else ""
                if kml.wait() not in (0, 3):  # 3: the job failed
                    raise error_of(kml.returncode, message)
            finally:
                binary.end(kml)

    def logs(self, rank: Optional[int] = None) -> str:
        """The log so far: of all pods, or of one rank."""
        return "".join(line["text"] + "\n" for line in _without_results(self.lines(rank=rank)))

    def wait(self, timeout: Optional[float] = None) -> "Job":
        """Waits until the job has ended. Raises JobFailed if it failed or was cancelled, and Unreachable
        after `timeout` seconds."""
        try:
            binary.run(self._args("wait", self.name, *flags_of({"timeout": _duration(timeout)})))
        except JobFailed as failed:
            raise self.failure() from failed
        return self

    def failure(self) -> JobFailed:
        """The exception for this job, which has failed."""
        why = self.why()
        reason, log = why["cause"]["summary"], why.get("log") or []
        if log and log[-1] not in reason:
            reason += "; its log ends with: " + log[-1]
        return JobFailed("job %s: %s" % (self.name, why.state.lower()), reason,
                         why.commands[0] if why.commands else "", 3, dict(why))

    def why(self) -> Answer:
        """Why the job does not run, or why it failed, and how to fix it."""
        return Answer(binary.run_json(self._args("why", self.name)))

    @property
    def state(self) -> str:
        """Waiting, Running, Cancelling, Suspended, Unknown, Succeeded, Failed or Cancelled."""
        return self.why().state

    def status(self) -> Dict[str, Any]:
        """The Kubernetes object."""
        found: Dict[str, Any] = binary.run_json(self._args("status", self.name))
        return found

    def cancel(self) -> None:
        """Ends the job, and keeps its record and log."""
        binary.run(self._args("cancel", self.name))

    def delete(self) -> None:
        """Removes the job with its pods and logs."""
        binary.run(self._args("delete", self.name, "--yes"))

    def __repr__(self) -> str:
        return "Job(%r)" % self.name

    def _repr_html_(self) -> str:
        return self.why()._repr_html_()


def _without_results(lines: Iterable[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
    """Leaves out parts of results, and the empty line that the worker prints before each to start a new line."""
    held: Dict[str, Dict[str, Any]] = {}  # by pod: an empty line whose next line is not known yet
    for line in lines:
        empty = held.pop(line["pod"], None)
        if RESULT_PART.match(line["text"]):
            continue
        if empty:
            yield empty
        if line["text"]:
            yield line
        else:
            held[line["pod"]] = line
    yield from held.values()


def _duration(timeout: Optional[float]) -> Optional[str]:
    """The limit in the form of kml, which has whole seconds."""
    if timeout is None or timeout == math.inf:
        return None
    if not isinstance(timeout, (int, float)) or math.isnan(timeout):
        raise UsageError("timeout: cannot use %r" % (timeout,), "", "give a number of seconds", 2)
    return "%ds" % max(1, round(timeout))


_NO_JOB = "it returns the job that it creates"
#: Flags with which `kml submit` creates no job, or prints something else than the job: why they are refused, and the fix.
REFUSED: Dict[str, Sequence[str]] = {
    **{flag: (_NO_JOB, "use `kml submit --%s` in a shell" % flag.replace("_", "-"))
       for flag in ("dry_run", "test_only", "plan", "help")},
    **{flag: ("a schedule has no job before its first start", "use kml.schedule(COMMAND, %s=...)" % flag)
       for flag in ("cron", "every", "at")},
    "follow": (_NO_JOB, "use kml.submit(...).lines(follow=True)"),
    "file": ("it submits a command", "use `kml submit -f FILE` in a shell"),
}
#: Flags with which a command that prints a table prints something else, or does not end.
NO_TABLE: Dict[str, Sequence[str]] = {flag: ("it returns a table", "use `kml` in a shell") for flag in
                                      ("watch", "output", "help")}


def submit(command: Union[str, Sequence[str]], *, name: Optional[str] = None, image: Optional[str] = None,
           gpus: Union[None, int, str] = None, cpu: Union[None, int, float, str] = None,
           memory: Optional[str] = None, nodes: Optional[int] = None, env: Optional[Mapping[str, object]] = None,
           mount: Union[None, str, Sequence[str]] = None, code: Union[None, str, "os.PathLike[str]"] = None,
           array: Optional[str] = None, context: Optional[str] = None, namespace: Optional[str] = None,
           kubeconfig: Optional[str] = None, **flags: Value) -> Job:
    """Submits a command as a job, as `kml submit` does.

    command: a list of arguments, or a text for the shell. gpus: 2 or "a100:4", for each pod. memory: "16Gi".
    env: variables of the command. mount: e.g. "pvc/datasets:/data:ro". code: a folder to send. array: "0-99%8".
    env={"TOKEN": None} copies a variable from here.
    Any other flag of `kml submit` can be given with underscores: time_limit="12h", priority="high".
    """
    refuse("submit()", flags, REFUSED)
    words = command_words(command)
    chosen: Dict[str, Value] = {"name": name, "image": image, "gpus": gpus, "cpu": cpu, "memory": memory,
                                "nodes": nodes, "env": env, "mount": mount, "code": code, "array": array,
                                "context": context, "namespace": namespace, "kubeconfig": kubeconfig, **flags}
    made = binary.run_json(["submit", *flags_of(chosen)], ["--", *words], binary.show_note)
    return Job(*name_and_place(made, context, namespace, kubeconfig))


_PARTS = ("Service", "ConfigMap", "Secret")


def name_and_place(made: Any, context: Optional[str], namespace: Optional[str],
                   kubeconfig: Optional[str]) -> Tuple[str, Optional[str], Optional[str], Optional[str]]:
    """What Job() and Schedule() take, for an object that kml has created, or for the first one of a List that is not a
    part of another, as a Service is."""
    try:
        if made.get("kind") == "List":
            made = next(item for item in made["items"] if item["kind"] not in _PARTS)
        return made["metadata"]["name"], context, made["metadata"].get("namespace", namespace), kubeconfig
    except (KeyError, TypeError, AttributeError, StopIteration) as error:
        raise binary.unexpected(made) from error


def queue(**flags: Value) -> Table:
    """The running and waiting jobs in their order, with causes, as in `kml queue`. Takes the flags of that command."""
    refuse("queue()", flags, NO_TABLE)
    rows = binary.run_json(["queue", *flags_of(flags)])
    columns = ["position", "name", "user", "priority", "gpus", "state", "cause"]
    return Table(rows, columns)


def runs(where: Optional[str] = None, sort: Optional[str] = None, limit: Optional[int] = None,
         context: Optional[str] = None, **flags: Value) -> Table:
    """Earlier runs with their parameters, metrics and outcome, as in `kml runs`. Takes the flags of that command."""
    refuse("runs()", flags, NO_TABLE)
    found = binary.run_json(["runs", *flags_of({"where": where, "sort": sort, "limit": limit, "context": context,
                                                **flags})])
    names: Dict[str, None] = {}
    for row in found:
        for group in ("metrics", "parameters"):
            for key, value in row.get(group, {}).items():
                names.setdefault(key)
                row.setdefault(key, number(value["last"]) if isinstance(value, dict) and "last" in value else value)
    return Table(found, ["run", "name", "state", "time", *names])
