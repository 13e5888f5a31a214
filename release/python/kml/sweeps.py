"""Sweeps: many trials of one command with different parameters."""

from __future__ import annotations

import contextlib
import enum
import math
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, Sequence, Union

from . import binary
from .arguments import Value, command_words, flags_of, refuse, text_of
from .errors import UsageError
from .table import Table, number


class Sweep:
    """A sweep, which runs in the background."""

    def __init__(self, name: str, params: Optional[Mapping[str, object]] = None) -> None:
        self.name = text_of("name", name)
        # By parameter, the values that were given, by their texts in the command.
        self._given: Dict[str, Dict[str, object]] = {
            parameter: {_text(parameter, value): value for value in _items(values)}
            for parameter, values in (params or {}).items() if not isinstance(values, str)}

    def status(self) -> Dict[str, Any]:
        """Everything that is known: objective, trials, and how it ended. The object that kml.sweep returned has the
        parameters' values as they were given; another one has those that a command line has."""
        found: Dict[str, Any] = binary.run_json(["sweep", "status", self.name])
        for trial in found["trials"]:
            for name, value in trial["parameters"].items():
                trial["parameters"][name] = self._given.get(name, {}).get(str(value), value)
        return found

    def trials(self) -> Table:
        """The trials with their values and parameters."""
        found = self.status()
        rows = [{**trial, "value": number(trial.get("value")), **trial["parameters"]} for trial in found["trials"]]
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


_REFUSED = {flag: ("it returns the sweep that it starts", "use `kml sweep run --%s` in a shell" % flag.replace("_", "-"))
            for flag in ("dry_run", "plan", "help", "file")}


def sweep(name: str, command: Union[str, Sequence[str]], params: Mapping[str, object], *,
          maximize: Optional[str] = None, minimize: Optional[str] = None, trials: Optional[int] = None,
          parallel: Optional[int] = None, **flags: Value) -> Sweep:
    """Starts a sweep in the background, or continues the one of that name, as `kml sweep run --detach` does.

    params: values (a list, a range, an array), or a range as text: {"lr": "log:1e-4..1e-1", "batch": [32, 64]}.
    Raises UsageError for values that a command line cannot have. In the command,
    {args} becomes --lr=0.01 --batch=32, and {lr} one value. maximize, minimize: the metric, by its name in the log.
    """
    refuse("sweep()", flags, _REFUSED)
    words = command_words(command)
    if not isinstance(params, Mapping):
        raise UsageError("params: cannot use %r" % (params,), "", 'give a dictionary: {"lr": [0.1, 0.01]}', 2)
    params = {name: list(values) if isinstance(values, Iterator) else values for name, values in params.items()}
    chosen: Dict[str, Value] = {
        "param": {name: _param(name, values) for name, values in params.items()},
        "maximize": maximize, "minimize": minimize, "trials": trials, "parallel": parallel, "detach": True, **flags}
    found = Sweep(name, params)
    binary.run(["sweep", "run", found.name, *flags_of(chosen), "--", *words], binary.show_note)
    return found


def _param(name: str, values: object) -> str:
    """The values in the form of --param: a range is unchanged, and a list becomes its values."""
    if isinstance(values, str):
        return values
    if isinstance(values, (bytes, Mapping)) or values is None:
        raise _unusable(name, values)
    items = [_text(name, item) for item in _items(values)]
    if not items:
        raise UsageError("parameter %s has no values" % name, "", "give a list of values, or a range as text", 2)
    if len(items) == 1 and ".." in items[0]:
        raise _unusable(name, items[0])  # kml would take it for a range
    return ",".join(items)


def _items(values: object) -> Iterable[object]:
    return values if isinstance(values, Iterable) else [values]


def _text(name: str, value: object) -> str:
    if isinstance(value, enum.Enum):
        value = value.value
    with contextlib.suppress(ValueError):  # an array of several values
        value = value.item() if hasattr(value, "item") else value  # of NumPy
    is_text = isinstance(value, str) and value and "," not in value and not value.startswith(("int:", "log:"))
    is_number = isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value))
    if not is_text and not is_number:
        raise _unusable(name, value)
    return str(value)


def _unusable(name: str, value: object) -> UsageError:
    return UsageError("parameter %s: cannot use %r" % (name, value),
                      "values are finite numbers, booleans, and texts that are not empty, have no comma and are not a range",
                      "describe the parameter in a sweep file: `kml sweep run -f FILE`", 2)
