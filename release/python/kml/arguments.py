"""Turns the arguments of functions into the words of a command line."""

from __future__ import annotations

import numbers
import os
import reprlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import UsageError

#: A value of a flag: True for a flag without a value; a list or a mapping (NAME=VALUE) to repeat it.
Value = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[object], Mapping[str, object]]


def text_of(name: str, value: object) -> str:
    """The value as a word. Raises UsageError for a value that a command line cannot have."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:  # of NumPy
        value = value.item()
    if isinstance(value, (str, numbers.Number)):
        return str(value)
    raise UsageError("%s: cannot use %s" % (name, reprlib.repr(value)), "it is a %s" % type(value).__name__,
                     "give a text, a number or a path", 2)


def flags_of(values: Mapping[str, Value]) -> List[str]:
    """The flags for keyword arguments: time_limit="12h" becomes --time-limit=12h."""
    flags: List[str] = []
    for name, value in values.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            flags.append(flag)
        elif isinstance(value, Mapping):
            flags += ["%s=%s" % (flag, text_of(name, key)) if item is None else
                      "%s=%s=%s" % (flag, text_of(name, key), text_of("%s[%r]" % (name, key), item))
                      for key, item in value.items()]
        elif isinstance(value, (list, tuple, set, frozenset, range)):
            flags += ["%s=%s" % (flag, text_of(name, item)) for item in value]
        else:
            flags.append("%s=%s" % (flag, text_of(name, value)))
    return flags


def command_words(command: Any) -> List[str]:
    """The words of a command: a list of them, or a text for the shell."""
    if isinstance(command, str):
        return ["sh", "-c", command]
    if isinstance(command, (list, tuple)):
        return [text_of("command", word) for word in command]
    raise UsageError("command: cannot use %s" % reprlib.repr(command), "it is a %s" % type(command).__name__,
                     'give a text for the shell, or a list: ["python", "train.py"]', 2)


def place(context: Optional[str], namespace: Optional[str], kubeconfig: Optional[str] = None) -> List[str]:
    """The flags that choose the target."""
    chosen: Dict[str, Value] = {"context": context, "namespace": namespace, "kubeconfig": kubeconfig}
    return flags_of(chosen)


def refuse(function: str, given: Mapping[str, object], refused: Mapping[str, Sequence[str]]) -> None:
    """Raises UsageError if one of the keyword arguments is in `refused`, which has their why and fix."""
    for name in given:
        if name in refused:
            why, fix = refused[name]
            raise UsageError("%s does not take %s" % (function, name), why, fix, 2)
