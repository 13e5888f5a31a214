"""The package kml, on the real program and its embedded server. KML_BINARY is the program."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import calls
import kml


class Jobs(unittest.TestCase):
    def test_a_job_ends_and_has_a_log_and_a_run(self):
        job = kml.submit("echo loss=0.5; echo $X", name="fine", env={"X": "a=b"}).wait()
        self.assertEqual(job.logs(), "loss=0.5\na=b\n")
        self.assertEqual(job.state, "Succeeded")
        runs = kml.runs(where="loss < 1")
        self.assertEqual([(run["name"], run["loss"]) for run in runs], [("fine", 0.5)])
        self.assertIn("<td>fine</td>", runs._repr_html_())
        self.assertIn("fine", repr(runs))

    def test_an_error_says_what_why_and_fix(self):
        job = kml.submit(["sh", "-c", "exit 7"], name="fails")
        with self.assertRaises(kml.JobFailed) as caught:
            job.wait()
        self.assertEqual(caught.exception.what, "job fails: failed")
        self.assertIn("exit code 7", caught.exception.why)
        self.assertIn("kml logs fails", caught.exception.fix)
        self.assertIn("exit code 7", str(job.why()))
        for request in (kml.Job("nobody").wait, kml.Job("nobody").logs):  # reported as text, and as JSON
            with self.assertRaises(kml.Error) as caught:
                request()
            self.assertIn('no job "nobody"', caught.exception.what)
            self.assertIn("kml list", caught.exception.fix)
        with self.assertRaisesRegex(kml.UsageError, "--no-such-flag: neither a flag nor"):
            kml.submit("true", no_such_flag=1)

    def test_a_cancelled_job(self):
        job = kml.submit("sleep 100", name="long")
        job.cancel()
        with self.assertRaises(kml.JobFailed):
            job.wait()
        self.assertEqual(job.state, "Cancelled")
        self.assertEqual(list(kml.queue()), [])


class Functions(unittest.TestCase):
    def test_results_output_and_exceptions(self):
        with kml.Executor() as executor:
            result = executor.submit(calls.times, 3, y=4)
            refused = executor.submit(calls.refuse, 7)
            died = executor.submit(calls.die)
            self.assertEqual(result.result(), 12)
            self.assertEqual(result.stdout(), "times 3\n")
            with self.assertRaisesRegex(ValueError, "no 7") as caught:
                refused.result()
            self.assertIn("in refuse", str(caught.exception.__cause__))
            with self.assertRaisesRegex(kml.JobFailed, "signal 9"):
                died.result()
        with self.assertRaises(RuntimeError):
            executor.submit(calls.times, 1)

    def test_what_a_function_prints_is_no_result(self):
        with kml.Executor() as executor:
            future = executor.submit(calls.forge)
            self.assertEqual(future.result(), "true")
            self.assertEqual(future.stdout(), "kml-result of no kind\nend")

    def test_an_array(self):
        with kml.Executor() as executor:
            futures = executor.map_array(calls.times, [1, 2, 3], [4, 5, 6])
            self.assertEqual([future.result() for future in futures], [4, 10, 18])
            self.assertEqual(futures[1].stdout(), "times 2\n")
        self.assertEqual(len({future.job.name for future in futures}), 1)

    def test_a_large_result(self):
        with kml.Executor() as executor:
            large, larger = executor.submit(calls.bytes_of, 1 << 20), executor.submit(calls.bytes_of, 5 << 20)
            self.assertEqual(len(large.result()), 1 << 20)
            with self.assertRaisesRegex(RuntimeError, "write it to a volume"):
                larger.result()

    @unittest.skipUnless(importlib.util.find_spec("cloudpickle"), "needs cloudpickle")
    def test_modules_are_sent_by_name(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(sys, "path", [folder, *sys.path]):
            pathlib.Path(folder, "only_here.py").write_text("def seven():\n    return 7\n")
            only_here = importlib.import_module("only_here")
        with kml.Executor() as without, kml.Executor(modules=["only_here"]) as executor:
            missing = without.submit(only_here.seven)
            with self.assertRaises(ModuleNotFoundError):
                missing.result()
            self.assertEqual(executor.submit(only_here.seven).result(), 7)
        with self.assertRaisesRegex(kml.UsageError, "cannot import nowhere"):
            kml.Executor(modules="nowhere")

    def test_cancel(self):
        with kml.Executor() as executor:
            import time

            future = executor.submit(time.sleep, 100)
            self.assertTrue(future.cancel())
            self.assertTrue(future.cancelled())


class Sweeps(unittest.TestCase):
    def test_the_best_trial(self):
        sweep = kml.sweep("lr", "echo acc={lr}", {"lr": [0.1, 0.3, 0.2]}, maximize="acc", trials=3).wait()
        self.assertEqual(sweep.best()["parameters"], {"lr": 0.3})
        self.assertIn("<td>0.3</td>", sweep._repr_html_())


class Package(unittest.TestCase):
    def test_import_loads_nothing(self):
        program = "import sys; before = set(sys.modules); import kml; print(set(sys.modules) - before)"
        loaded = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True).stdout.decode()
        for module in "'subprocess'", "'typing'", "'kml.jobs'":
            self.assertNotIn(module, loaded)

    def test_every_name_is_there(self):
        for name in kml.__all__:
            self.assertTrue(getattr(kml, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
