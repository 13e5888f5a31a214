"""%kml and %%kml without a notebook: what they print, return and raise. KML_BINARY is the program."""

import contextlib
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import kml
from kml.magics import _magic


def run(line, cell=None):
    """What the magic returns or raises, and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            result = _magic(line, cell)
        except Exception as error:
            result = error
    return result, out.getvalue(), err.getvalue()


class Magics(unittest.TestCase):
    def test_a_cell_runs_as_a_job(self):
        for number, flags in enumerate(("", "--follow", "--wait", "--follow --wait", "--env X=5", "-- python3 -B")):
            with self.subTest(flags):
                job, out, err = run("submit --name cell-%d %s" % (number, flags), "import os\nprint(__file__)\n")
                self.assertEqual((repr(job), out), ("Job('cell-%d')" % number, "/kml/code/cell.py\n"))
                self.assertRegex(err, "^(kml: started .*\n)?→ local/default as .*\n$")

    def test_a_cell_finds_the_files_of_code_and_leaves_their_folder_unchanged(self):
        cell = ("import os, lib\n"
                "print(lib.X, sorted(set(os.listdir()) - {'__pycache__'}), os.path.exists('__pycache__/left_out'),\n"
                "      os.access('run.sh', os.X_OK), os.readlink('link'))\n")
        with tempfile.TemporaryDirectory() as folder:
            code = pathlib.Path(folder) / "my code"
            (code / "data").mkdir(parents=True)
            (code / "__pycache__").mkdir()
            for name, text in (("lib.py", "X = 5\n"), ("data/words", "a\n"), ("run.sh", "true\n"), ("__pycache__/left_out", "")):
                (code / name).write_text(text)
            (code / "run.sh").chmod(0o755)
            (code / "link").symlink_to("lib.py")
            before = sorted(code.rglob("*"))
            for number, flags in enumerate(("--code '%s'", "--code='%s'", "--code '%s' -- python3 -B")):
                with self.subTest(flags):
                    job, out, err = run("submit --name code-%d %s" % (number, flags % code), cell)
                    self.assertEqual((repr(job), out), ("Job('code-%d')" % number,
                                                        "5 ['cell.py', 'data', 'lib.py', 'link', 'run.sh'] False True lib.py\n"))
            result, out, err = run("submit --dry-run --code '%s'" % code, cell)
            self.assertIsNone(result)
            self.assertRegex(out, "kind: Job")
            self.assertEqual(sorted(code.rglob("*")), before)
            (code / "cell.py").write_text("")
            error, _, _ = run("submit --code '%s'" % code, cell)
            self.assertRegex(str(error), "my code has a file cell.py\n  why: .*\n  fix: rename the file")

    def test_what_kml_itself_prints(self):
        for flags, text in [("--dry-run", "kind: Job"), ("--dry-run=client", "kind: Job"), ("--test-only", "starts now"),
                            ("--dry-run -- python3 -B", "command: python3 -B cell.py\n"),
                            ("-o name", "^job"), ("-ojson", '"kind": "Job"'), ("--help", "^Submit a job"),
                            ("--wait --timeout 90s", "submitted"), ("--cron '0 3 * * *' --name a", "schedule a created"),
                            ("--at +9h --name b", "schedule b created"), ("--every=6h --name c", "schedule c created")]:
            with self.subTest(flags):
                result, out, err = run("submit " + flags, "print(1)")
                self.assertIsNone(result)
                self.assertRegex(out, text)
                self.assertRegex(err, "(^|\n)→ local/default as |^$|^kml: the contents of Secret kml-code-[^\n]* are not printed")
                self.assertNotIn("kml: code: ", err)

    def test_the_fix_names_what_was_typed(self):
        for line, cell, kind, text in [
                ("sumbit", "1", kml.UsageError, 'unknown command "sumbit"\n  fix: did you mean "%%kml submit"\\?$'),
                ("", "1", kml.UsageError, "%%kml needs a command\n  fix: begin the cell with: %%kml submit$"),
                ("why w 'a b'", "1", kml.UsageError, "%%kml why cannot have a cell\n.*\n  fix: .*: %kml why w 'a b'$"),
                ("submit --code nowhere", "1", kml.UsageError, "nowhere is not a folder"),
                ("submit --code=nowhere --dry-run", "1", kml.UsageError, "nowhere is not a folder"),
                ("submit --plan p.json", "1", kml.UsageError, "does not take --plan\n.*\n  fix: .*%%writefile"),
                ("submit --gpus 9000", "1", kml.Error, "no node has GPUs"),
                ("submit --test-only --gpus 9000", "1", kml.Error, "no node has GPUs"),
                ("submit --name A_", "1", kml.UsageError, "A_"),
                ("submit --gpu 1", "1", kml.UsageError, 'unknown flag --gpu\n.*\n  fix: did you mean "--gpus"'),
                ("submit python train.py", "1", kml.UsageError, "unexpected argument"),
                ("submit -f x.yaml", "1", kml.Error, "cannot read x.yaml"),
                ("submit", "raise SystemExit(4)", kml.JobFailed, "exit code 4"),
                ("why it's", None, kml.UsageError, "cannot read this line: no closing quotation\n  fix: "),
                ("submit it's", "1", kml.UsageError, "cannot read this line: no closing quotation\n  fix: "),
                ("lst", None, kml.UsageError, 'unknown command "lst"\n  fix: did you mean "list"'),
                ("why nobody", None, kml.Error, 'no job "nobody"'),
                ("submit --follow -- sh -c 'exit 3'", None, kml.JobFailed, "exit code 3"),
        ]:
            with self.subTest(line):
                error, _, err = run(line, cell)
                self.assertIsInstance(error, kind)
                self.assertRegex(str(error), text)
                self.assertNotRegex(str(error) + err, "/tmp/|-o json|cell.py|kml: error")
                self.assertEqual(error._render_traceback_(), str(error).splitlines())

    def test_text_of_kml_without_what_was_not_typed(self):
        from kml.magics import _Flags

        for words, text, shown in [
                ([], "`kml submit --gpus 1 --code /tmp/kml-x -o json -- python3 cell.py`", "`%%kml submit --gpus 1`"),
                ([], "kml submit --code=/tmp/kml-x -- python3 cell.py", "%%kml submit"),
                (["--", "torchrun"], "kml submit --code '/tmp/kml-x' -- torchrun cell.py", "%%kml submit -- torchrun"),
                ([], "no files in /tmp/kml-x", "no files in the cell's folder"),
                (["--code", "src"], "kml submit --code /tmp/kml-x -o json -- python3 cell.py", "%%kml submit --code src"),
                (["--code=src"], "/tmp/kml-x is too large", "src is too large"),
                ([], "`kml list -o json | less`", "`kml list | less`"), ([], "`kml why cell`", "`kml why cell`")]:
            self.assertEqual(_Flags(words).as_typed(text, "/tmp/kml-x"), shown)

    def test_output_and_notes_of_a_line(self):
        self.assertEqual(run("queue")[0], [])
        result, out, err = run("submit --name noted -- true")
        self.assertEqual((result, out), (None, "job noted submitted\n"))
        self.assertRegex(err, "→ local/default as ")
        self.assertRegex(run("")[1], "Usage: kml COMMAND")

    def test_a_folder_of_the_settings_is_not_dropped_silently(self):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                pathlib.Path("kml.yaml").write_text("code: src\n")
                self.assertIn("kml: the cell is sent without the folder src of kml.yaml:1:7\n", run("submit --test-only", "1")[2])
                pathlib.Path("kml.yaml").unlink()
                with unittest.mock.patch.dict(os.environ, KML_CODE="."):
                    self.assertIn("the folder . of KML_CODE\n", run("submit --test-only", "1")[2])
                    self.assertNotIn("without the folder", run("submit --test-only --code .", "1")[2])
                self.assertNotIn("without the folder", run("submit --test-only", "1")[2])
            finally:
                os.chdir(here)


if __name__ == "__main__":
    unittest.main()
