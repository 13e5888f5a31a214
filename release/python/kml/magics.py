"""Magics for notebooks: `%load_ext kml`, then `%%kml submit --gpus 1` above a cell, or `%kml queue`."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import sys
import tempfile
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence

from . import binary
from .errors import Error, UsageError, error_of, reported
from .jobs import Job, name_and_place, queue


def load(shell: Any) -> None:
    """Registers the magics with IPython."""
    shell.register_magic_function(_magic, "line_cell", "kml")


def _magic(line: str, cell: Optional[str] = None) -> Any:
    """%kml COMMAND: runs kml and shows its output. %%kml submit FLAGS: runs the cell as a Python program in a job."""
    try:
        words = _words_of(line)
        if cell is None:
            return queue() if words == ["queue"] else _show(words)
        if words[:1] != ["submit"]:
            _refuse_cell(words)
        return _submit(_Flags(words[1:]), cell)
    except KeyboardInterrupt:
        return None
    except Error as error:
        raise _without_frames(error) from None


def _without_frames(error: Error) -> Error:
    """Makes IPython show only the error's text: its frames are in this module, and the cell's are in the job's log."""
    setattr(error, "_render_traceback_", lambda: str(error).splitlines())
    return error


def _words_of(line: str) -> List[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError("cannot read this line: %s" % str(error).lower(), "", "quote it as in a shell: \"it's\"", 2) from error


def _refuse_cell(words: Sequence[str]) -> NoReturn:
    if not words:
        raise UsageError("%%kml needs a command", "", "begin the cell with: %%kml submit", 2)
    if difflib.get_close_matches(words[0], ["submit"]):
        raise UsageError('unknown command "%s"' % words[0], "", 'did you mean "%%kml submit"?', 2)
    raise UsageError("%%kml " + words[0] + " cannot have a cell", "only %%kml submit runs one",
                     "put this line into a cell of its own: %kml " + shlex.join(words), 2)


def _print(text: str) -> None:
    print(text, end="")


def _print_note(line: str) -> None:
    if not line.startswith("kml: code: "):  # the cell's size
        print(line, end="", file=sys.stderr)


def _show(words: Sequence[str], edit: Callable[[str], str] = str) -> None:
    """Prints what kml prints, its notes after `edit`. Raises Error if kml fails."""
    code, said = binary.stream(words, _print, lambda line: _print_note(edit(line)))
    if code:
        raise error_of(code, said)


#: Flags of `kml submit` after which there is no job to follow, or with which kml itself waits.
_OWN_OUTPUT = {"--dry-run", "--test-only", "--cron", "--every", "--at", "--timeout", "--help", "-h"}
_REFUSED = {
    "--plan": ("the cell has no file that `kml apply` could send later",
               "begin the cell with %%writefile FILE.py instead; then: %kml submit --plan PLAN --code DIR -- python3 FILE.py"),
}


#: The name of the cell's file, beside the files of --code.
_FILE = "cell.py"


class _Flags:
    """The words after %%kml submit."""

    def __init__(self, words: Sequence[str]) -> None:
        end = words.index("--") if "--" in words else len(words)
        self.own = list(words[:end])
        self.command = list(words[end + 1:])
        self._names = {word.split("=")[0] for word in self.own if word.startswith("-")}
        self.code = self._take("--code")

    def _take(self, name: str) -> Optional[str]:
        """The value of a flag, which is removed. If the flag has no value, it stays, and kml reports it."""
        value = None
        for i, word in reversed(list(enumerate(self.own))):
            flag, is_joined, joined = word.partition("=")
            if flag == name and (is_joined or i + 1 < len(self.own)):
                value = value or (joined if is_joined else self.own[i + 1])
                del self.own[i:i + (1 if is_joined else 2)]
        return value

    def check(self) -> None:
        for name in self._names & set(_REFUSED):
            why, fix = _REFUSED[name]
            raise UsageError("%%kml submit does not take " + name, why, fix, 2)

    def has_own_output(self) -> bool:
        """Whether kml itself prints what the user wants to see."""
        return bool(self._names & _OWN_OUTPUT) or any(re.match("-o", name) for name in self._names)

    def of_job(self) -> List[str]:
        """The flags without those that request what a cell does anyway."""
        return [word for word in self.own if word not in ("--follow", "--wait")]

    def program(self) -> List[str]:
        return ["--", *(self.command or ["python3"]), _FILE]

    def value(self, *names: str) -> Optional[str]:
        """The value of a flag, or None."""
        for i, word in enumerate(self.own):
            name, is_joined, value = word.partition("=")
            if name in names:
                return value if is_joined else self.own[i + 1] if i + 1 < len(self.own) else None
        return None

    def as_typed(self, text: str, folder: str) -> str:
        """kml's text without what the user has not typed."""
        untyped = r"-o[ =]json" if self.code else r"(--code|-o)[ =]('?%s'?|json)" % re.escape(folder)
        text = re.sub(r" %s(?=[\s`]|$)" % untyped, "", text)
        text = re.sub(r" cell\.py(?=[\s`]|$)" if self.command else r" -- python3 cell\.py(?=[\s`]|$)", "", text)
        return re.sub(r"\bkml submit\b", "%%kml submit", text).replace(folder, self.code or "the cell's folder")


def _submit(flags: _Flags, cell: str) -> Optional[Job]:
    """Submits the cell and shows its log. Ctrl-C leaves the log; the job continues."""
    flags.check()
    if flags.code is None:
        _note_unused_code()
    with reported("cannot write the cell to a file"), tempfile.TemporaryDirectory(prefix="kml-") as folder:
        def as_typed(text: str) -> str:
            return flags.as_typed(text, folder)

        try:
            if flags.code is not None:
                _copy_code(flags.code, folder)
            with open(os.path.join(folder, _FILE), "w", encoding="utf-8") as file:
                file.write(cell)
            if flags.has_own_output():
                _show(["submit", *flags.own, "--code", folder, *flags.program()], as_typed)
                return None
            made = binary.run_json(["submit", *flags.of_job(), "--code", folder], flags.program(),
                                   lambda line: _print_note(as_typed(line)))
        except Error as error:
            error.what, error.why, error.fix = map(as_typed, (error.what, error.why, error.fix))
            raise
    job = Job(*name_and_place(made, flags.value("--context"), None, flags.value("--kubeconfig")))
    return _follow(job)


def _copy_code(code: str, to: str) -> None:
    """Copies the files that --code sends. The cell's file must not be written into the user's own folder."""
    names: List[str] = binary.run_json(["code-files", code])
    if _FILE in names:
        raise UsageError("%s has a file %s" % (code, _FILE), "the cell is sent under this name", "rename the file", 2)
    with reported("cannot copy the files of %s" % code):
        for name in names:
            target = os.path.join(to, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(code, name), target, follow_symlinks=False)


def _note_unused_code() -> None:
    """Says so if kml.yaml or KML_CODE names a folder to send, because only --code sends one with a cell."""
    settings: List[Dict[str, Any]] = binary.run_json(["config", "view"])
    for setting in settings:
        if setting.get("name") == "code":
            _print_note("kml: the cell is sent without the folder %s of %s\n" % (setting.get("value"), setting.get("origin")))


def _follow(job: Job) -> Job:
    try:
        for line in job.lines(follow=True):
            print(line["text"])
    except KeyboardInterrupt:
        print("job %s continues; kml.Job(%r).cancel() ends it" % (job.name, job.name))
        return job
    return job.wait()
