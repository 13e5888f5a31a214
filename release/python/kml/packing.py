"""Writes the folder of a job that runs functions: the worker, the pickled calls, and what both need."""

from __future__ import annotations

import importlib
import json
import linecache
import os
import pickle
import shutil
import sys
from types import CodeType, ModuleType
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Sequence, Set, Tuple, Union

from . import worker
from .errors import Error, UsageError

#: Longer source texts are not sent.
_LONGEST_SOURCE = 1 << 20


def modules_of(modules: Union[str, Iterable[Union[str, ModuleType]]]) -> List[ModuleType]:
    """The modules, of which some may be given by their names."""
    if isinstance(modules, (str, ModuleType)):
        modules = [modules]
    try:
        return [_module(module) for module in modules]
    except TypeError as error:
        raise UsageError("modules: cannot use %r" % (modules,), "", "give a list of modules or their names", 2) from error


def _module(module: Union[str, ModuleType]) -> ModuleType:
    if isinstance(module, ModuleType):
        return module
    if not isinstance(module, str):
        raise TypeError(module)
    try:
        return importlib.import_module(module)
    except Exception as error:  # the module itself may raise anything
        raise UsageError("modules: cannot import %s" % module, "%s: %s" % (type(error).__name__, error),
                         "name modules that this process can import", 2) from error


def pack(folder: str, fn: Callable[..., Any], calls: Sequence[Tuple[Any, Any]], key: str,
         modules: Sequence[ModuleType]) -> int:
    """Writes everything that the job needs. Returns the size of the calls in bytes."""
    dump, files = _dumper(modules, folder)
    size = 0
    for task, (args, kwargs) in enumerate(calls):
        with open(os.path.join(folder, "call-%d.pkl" % task), "wb") as out:
            _dump(dump, (fn, args, kwargs), out)
            size += out.tell()
    shutil.copy(worker.__file__, os.path.join(folder, "worker.py"))
    about = {"python": list(sys.version_info[:2]), "path": [os.path.abspath(entry) for entry in sys.path],
             "chdir": os.getcwd(), "key": key, "sources": _sources(files)}
    with open(os.path.join(folder, "about.json"), "w") as file:
        json.dump(about, file)
    return size


def _dump(dump: Callable[[Any, BinaryIO], None], call: Any, out: BinaryIO) -> None:
    try:
        dump(call, out)
    except (Error, OSError):
        raise
    except Exception as error:  # a class may raise anything when it is pickled
        raise UsageError("cannot send the call of %s" % getattr(call[0], "__name__", call[0]),
                         "%s: %s" % (type(error).__name__, error),
                         "pass arguments that can be pickled, such as the path of a file instead of the open file",
                         2) from error


def _dumper(modules: Sequence[ModuleType], folder: str) -> Tuple[Callable[[Any, BinaryIO], None], Set[str]]:
    """The function that pickles calls, and the source files of the functions that it sends by value. cloudpickle is
    copied into the folder, because its pickles need it."""
    files: Set[str] = set()
    try:
        import cloudpickle
    except ImportError:
        if modules:
            raise Error("cannot send modules", "cloudpickle is not installed", "pip install cloudpickle") from None
        return _plain_dump, files
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    shutil.copytree(os.path.dirname(cloudpickle.__file__), os.path.join(folder, "packages", "cloudpickle"),
                    ignore=shutil.ignore_patterns("__pycache__"))
    return (lambda call, out: _pickler(cloudpickle.CloudPickler, files)(out).dump(call)), files


def _pickler(base: Any, files: Set[str]) -> Any:
    """A class like `base`, of cloudpickle, that keeps the names of source files for tracebacks, and adds them to
    `files`. cloudpickle replaces them by "<dynamic-code>"."""
    table: Dict[Any, Any] = dict(getattr(base, "dispatch_table", {}))
    reduce = table.get(CodeType)
    if reduce is None:
        return base

    def reduce_code(code: CodeType) -> Any:
        files.add(code.co_filename)
        make, values = reduce(code)
        return make, tuple(code.co_filename if isinstance(value, str) and value == "<dynamic-code>" else value
                           for value in values)

    return type("Pickler", (base,), {"dispatch_table": {**table, CodeType: reduce_code}})


def _sources(files: Iterable[str]) -> Dict[str, List[str]]:
    """The lines of the files, if this process knows them: a notebook's cells are not files."""
    sources = {file: linecache.getlines(file) for file in files}
    return {file: lines for file, lines in sources.items() if 0 < sum(map(len, lines)) <= _LONGEST_SOURCE}


def _plain_dump(call: Any, out: BinaryIO) -> None:
    function = call[0]
    if getattr(function, "__module__", "") == "__main__":
        raise Error("cannot send the function %s" % getattr(function, "__name__", function),
                    "pickle cannot send a function that a notebook or script defines", "pip install cloudpickle")
    pickle.dump(call, out)
