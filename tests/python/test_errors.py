"""What may be wrong with a call: the exception is a kml.Error that says so. KML_BINARY is the program."""

import os
import pathlib
import sys
import tempfile
import threading
import unittest
import unittest.mock

import calls
import kml


class Unpicklable:
    def __reduce__(self):
        raise LookupError("not this")


def recursive():
    nested = []
    for _ in range(100000):
        nested = [nested]
    return nested


def program(folder, text):
    path = pathlib.Path(folder, "kml")
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


class Errors(unittest.TestCase):
    def check(self, kind, text, request):
        with self.assertRaises(kml.Error, msg=text) as caught:
            request()
        self.assertIsInstance(caught.exception, kind)
        self.assertRegex(str(caught.exception), text)
        self.assertNotRegex(str(caught.exception), r"-o json|/tmp/kml-|Traceback")
        self.assertNotIn("release/python", "".join(caught.exception._render_traceback_()))
        return caught.exception

    def test_arguments_of_a_wrong_type(self):
        for text, request in [
                ("command: cannot use 5", lambda: kml.submit(5)),
                ("command: cannot use None", lambda: kml.submit(["true", None])),
                ("command: cannot use b'true'", lambda: kml.submit(b"true")),
                ("no command", lambda: kml.submit([])),
                ("gpus: cannot use <object", lambda: kml.submit("true", gpus=object())),
                ("mount: cannot use b'x'", lambda: kml.submit("true", mount=[b"x"])),
                (r"env\['A'\]: cannot use \[1\]", lambda: kml.submit("true", env={"A": [1]})),
                ("name: cannot use None", lambda: kml.Job(None)),
                ("name: cannot use \\['a'\\]", lambda: kml.Job(["a"]).why()),
                ("null byte", lambda: kml.submit(["a\0b"])),
                ("surrogates", lambda: kml.submit(["\ud800x"])),
                ("the command is too long", lambda: kml.submit(["x" * (1 << 21)])),
                ("timeout: cannot use '1h'", lambda: kml.Job("any").wait(timeout="1h")),
                ("timeout: cannot use nan", lambda: kml.Job("any").wait(timeout=float("nan"))),
                ("params: cannot use", lambda: kml.sweep("s", "true", ["lr"])),
                ("command: cannot use 5", lambda: kml.sweep("s", 5, {"lr": [1]})),
                ("name: cannot use None", lambda: kml.sweep(None, "true", {"lr": [1]})),
                ("name: cannot use None", lambda: kml.attach(None)),
                ("unknown flag \"--no-such\"", lambda: kml.runs(no_such=1)),
                ("unknown flag --gpu\n.*\n.*did you mean \"--gpus\"", lambda: kml.submit("true", gpu=1)),
        ]:
            with self.subTest(text):
                self.check(kml.UsageError, text, request)

    def test_arguments_that_would_not_return_what_is_promised(self):
        for function, flags in [(lambda **flags: kml.submit("true", **flags), ("dry_run", "plan", "cron", "file")),
                                (kml.queue, ("watch", "output", "help")), (kml.runs, ("output", "help")),
                                (kml.watch_queue, ("watch",)), (kml.ui, ("once", "web")),
                                (lambda **flags: kml.schedule("true", at="+2h", **flags), ("dry_run", "wait", "follow")),
                                (lambda **flags: kml.sweep("s", "true", {"x": [1]}, **flags), ("dry_run", "plan")),
                                (kml.Executor, ("code", "array", "wait", "cron", "follow", "dry_run"))]:
            for flag in flags:
                with self.subTest(flag):
                    error = self.check(kml.UsageError, " does not take " + flag, lambda: function(**{flag: "x"}))
                    self.assertTrue(error.why and error.fix)

    def test_values_that_a_command_line_can_have(self):
        from kml.arguments import command_words, flags_of

        for value, flags in [(None, []), (False, []), (True, ["--a-b"]), (2, ["--a-b=2"]), (pathlib.Path("x"), ["--a-b=x"]),
                             (["x", 1], ["--a-b=x", "--a-b=1"]), ({"X": None, "Y": 1}, ["--a-b=X", "--a-b=Y=1"]),
                             (range(2), ["--a-b=0", "--a-b=1"])]:
            self.assertEqual(flags_of({"a_b": value}), flags)
        self.assertEqual(command_words(["python", pathlib.Path("a"), 1, 0.5]), ["python", "a", "1", "0.5"])

    def test_functions(self):
        closed = kml.Executor()
        closed.shutdown()
        executor = kml.Executor()
        for text, request in [
                ("was shut down", lambda: closed.submit(len, "a")),
                ("was shut down", lambda: closed.map_array(len, ["a"])),
                ("cannot run 5", lambda: executor.submit(5)),
                ("cannot send the call of len\n  why: .*not this", lambda: executor.submit(len, Unpicklable())),
                ("cannot send the call of len\n  why: .*lock", lambda: executor.submit(len, threading.Lock())),
                ("cannot send the call of len\n  why: .*[Rr]ecursion", lambda: executor.submit(len, recursive())),
                ("map_array\\(\\) needs lists", lambda: executor.map_array(len, 5)),
                ("at_once: cannot use 0", lambda: executor.map_array(len, ["a"], at_once=0)),
                ("modules: cannot import no_such", lambda: kml.Executor(modules="no_such")),
                ("modules: cannot use \\[5\\]", lambda: kml.Executor(modules=[5])),
                ("modules: cannot use 5", lambda: kml.Executor(modules=5)),
                ("the arguments are too large: 17.0 MiB\n  why: .*16 MiB.*\n  fix: .*volume",
                 lambda: executor.submit(len, os.urandom(17 << 20))),
        ]:
            with self.subTest(text):
                self.check(kml.UsageError, text, request)
        self.assertRaises(RuntimeError, closed.submit, len)  # as other executors do

    def test_results_that_cannot_be_sent_back(self):
        with kml.Executor() as executor:
            for text, future in [
                    ("cannot send the result back\n  why: .*lock", executor.submit(threading.Lock)),
                    ("the result is too large\n  why: it has .*\n  fix: write it to a volume", executor.submit(calls.bytes_of, 5 << 20)),
                    ("the function raised Odd: 7\n  why: this exception itself cannot be sent back", executor.submit(calls.raises_odd)),
            ]:
                with self.subTest(text):
                    self.check(kml.JobFailed, text, future.result)

    def test_a_program_that_cannot_be_run_or_is_another(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, path in [("cannot run the program /nope\n  why: KML_BINARY names it; No such file", "/nope"),
                               ("cannot run the program .*Permission denied", folder),
                               ("cannot run the program .*Exec format", program(folder, "\0"))]:
                with self.subTest(text), unittest.mock.patch.dict(os.environ, KML_BINARY=path):
                    for request in (lambda: kml.submit("true"), lambda: list(kml.Job("a").lines()), kml.queue,
                                    lambda: list(kml.Job("a").lines(in_background=True))):
                        self.check(kml.Error, "(?s)" + text, request)
            for output in ("", "usage: kml", "{}", "[1]", '{"metadata": 1}', '{"a": 1} {}'):
                path = program(folder, "#!/bin/sh\necho '%s'\n" % output)
                with self.subTest(output), unittest.mock.patch.dict(os.environ, KML_BINARY=path):
                    self.check(kml.Error, "cannot read the output of kml", lambda: kml.submit("true"))

    def test_no_program(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, PATH=folder, HOME=folder), \
                unittest.mock.patch.object(sys, "executable", folder + "/python"), unittest.mock.patch.object(sys, "prefix", folder):
            del os.environ["KML_BINARY"]
            self.check(kml.Error, "cannot find the program kml", kml.queue)

    def test_folders_that_cannot_be_used(self):
        with unittest.mock.patch.dict(os.environ, KML_STATE_DIR="/dev/null/x"):
            self.check(kml.Error, "cannot write the record of job len-", lambda: kml.Executor().submit(len, "a"))
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(tempfile, "tempdir", folder + "/gone"):
            self.check(kml.Error, "cannot write the files of the call", lambda: kml.Executor().submit(len, "a"))
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
        try:
            self.check(kml.Error, "cannot write the files of the call|cannot find", lambda: kml.Executor().submit(len, "a"))
        finally:
            os.chdir(here)

    def test_an_exit_code_without_an_error(self):
        from kml.errors import error_of

        for code, printed, kind, what in [(3, "→ a/b as c\nkml: job x failed\n", kml.JobFailed, "job x failed"),
                                          (1, "", kml.Error, "kml ended with exit code 1"),
                                          (5, "odd\n", kml.Unreachable, "odd")]:
            error = error_of(code, printed)
            self.assertEqual((type(error), error.what, error.code), (kind, what, code))


if __name__ == "__main__":
    unittest.main()
