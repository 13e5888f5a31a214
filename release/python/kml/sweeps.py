"""Sweeps: many trials of one command with different parameters."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union

from . import binary
from .table import Table


class Sweep:
    """A sweep, which runs in the background."""

    def __init__(self, name: str) -> None:
        self.name = name

    def status(self) -> Dict[str, Any]:
        """Everything that is known: objective, trials, and how it ended."""
        found: Dict[str, Any] = binary.run_json(["sweep", "status", self.name])
        return found

    def trials(self) -> Table:
        """The trials with their values and parameters."""
        found = self.status()
        rows = [{**trial, **trial["parameters"]} for trial in found["trials"]]
        parameters = list(dict.fromkeys(key for trial in found["trials"] for key in trial["parameters"]))
        return Table(rows, ["trial", "state", "value", *parameters])

    def best(self) -> Optional[Dict[str, Any]]:
        """The best trial so far: its number, value and parameters."""
        found = self.status()
        best: Optional[Dict[str, Any]] = None
        for trial in found["trials"]:
            if trial["trial"] == found.get("best"):
                best = trial
        return best

    def wait(self) -> "Sweep":
        """Waits until the sweep has ended."""
        binary.run(["sweep", "attach", self.name])
        return self

    def stop(self) -> None:
        """Stops the sweep and its trials."""
        binary.run(["sweep", "stop", self.name])

    def __repr__(self) -> str:
        return "Sweep(%r)" % self.name

    def _repr_html_(self) -> str:
        return self.trials()._repr_html_()


def sweep(name: str, command: Union[str, Sequence[str]], params: Mapping[str, object], *,
          maximize: Optional[str] = None, minimize: Optional[str] = None, trials: Optional[int] = None,
          parallel: Optional[int] = None, **flags: binary.Value) -> Sweep:
    """Starts a sweep in the background, or continues the one of that name, as `kml sweep run --detach` does.

    params: a list of values, or a range as text: {"lr": "log:1e-4..1e-1", "batch": [32, 64]}. In the command,
    {args} becomes --lr=0.01 --batch=32, and {lr} one value. maximize, minimize: the metric, by its name in the log.
    """
    if isinstance(command, str):
        command = ["sh", "-c", command]
    chosen: Dict[str, binary.Value] = {
        "param": {key: value if isinstance(value, str) else ",".join(map(str, _listed(value)))
                  for key, value in params.items()},
        "maximize": maximize, "minimize": minimize, "trials": trials, "parallel": parallel, "detach": True, **flags}
    binary.run(["sweep", "run", name, *binary.flags_of(chosen), "--", *command])
    return Sweep(name)


def _listed(value: object) -> Iterator[object]:
    return iter(value) if isinstance(value, (list, tuple)) else iter([value])
