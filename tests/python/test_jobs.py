"""The package kml, on the real program and its embedded server. KML_BINARY is the program."""

import importlib.util
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import calls
import kml


def _kml(*args):
    return subprocess.run([os.environ["KML_BINARY"], *args], stdout=subprocess.PIPE, check=False).stdout.decode()


class Jobs(unittest.TestCase):
    def test_a_job_ends_and_has_a_log_and_a_run(self):
        job = kml.submit("echo loss=0.5; echo $X", name="fine", env={"X": "a=b"}).wait()
        self.assertEqual(job.logs(), "loss=0.5\na=b\n")
        self.assertEqual(job.state, "Succeeded")
        runs = kml.runs(where="loss < 1")
        self.assertEqual([(run["name"], run["loss"]) for run in runs], [("fine", 0.5)])
        self.assertIn("<td>fine</td>", runs._repr_html_())
        self.assertIn("fine", repr(runs))

    def test_submit_returns_a_job_that_exists(self):
        for flag in ("dry_run", "test_only", "plan", "follow", "help", "cron", "every", "at"):
            with self.assertRaises(kml.UsageError) as caught:
                kml.submit(["true"], **{flag: True})
            self.assertIn("submit() does not take " + flag, caught.exception.what)
        self.assertEqual(kml.submit(["true"], name="waited", wait=True).wait().name, "waited")
        self.assertEqual(kml.submit('echo 1 >"${out.n}"', name="writes", output="n").wait().name, "writes")
        ranks = kml.submit("echo $RANK", name="ranks", template="job-indexed", nodes=2).wait()  # it has a Service, too
        self.assertEqual(sorted(ranks.logs().split()), ["0", "1"])
        os.environ["FROM_HERE"] = "here"
        job = kml.submit(["sh", "-c", "echo $FROM_HERE $GIVEN"], name="copies", env={"FROM_HERE": None, "GIVEN": 1}).wait()
        self.assertEqual(job.logs(), "here 1\n")

    def test_an_error_says_what_why_and_fix(self):
        job = kml.submit(["sh", "-c", "seq 30; exit 7"], name="fails")
        with self.assertRaises(kml.JobFailed) as caught:
            job.wait()
        self.assertEqual(caught.exception.what, "job fails: failed")
        self.assertIn("exit code 7", caught.exception.why)
        self.assertTrue(caught.exception.why.endswith("; its log ends with: 30"), caught.exception.why)
        self.assertIn(" logs fails", caught.exception.fix)
        self.assertIn("exit code 7", str(job.why()))
        self.assertEqual(caught.exception.exit_code, 7)
        for name, flags, program, code in [
                ("raises", {}, [sys.executable, "-c", "raise ValueError(3)"], 1), ("gang", {"nodes": 2}, ["sh", "-c", "exit 5"], 5),
                ("array", {"array": "0-1"}, ["sh", "-c", "exit 6"], 6), ("limited", {"time_limit": "1s"}, ["sleep", "100"], None)]:
            with self.subTest(name), self.assertRaises(kml.JobFailed) as caught:
                kml.submit(program, name=name, **flags).wait()
            self.assertEqual(caught.exception.exit_code, code)
        for request in (kml.Job("nobody").wait, kml.Job("nobody").logs):  # reported as text, and as JSON
            with self.assertRaises(kml.Error) as caught:
                request()
            self.assertIn('no job "nobody"', caught.exception.what)
            self.assertIn("kml list", caught.exception.fix)
        with self.assertRaisesRegex(kml.UsageError, "unknown flag --no-such-flag"):
            kml.submit("true", no_such_flag=1)

    def test_a_schedule_is_no_job(self):
        schedule = kml.schedule("true", name="nightly", cron="0 3 * * *", tz="UTC")
        self.assertEqual((repr(schedule), schedule.status()["schedule"]), ("Schedule('nightly')", "0 3 * * *"))
        schedule.pause()
        self.assertTrue(schedule.status()["paused"])
        schedule.resume()
        self.assertFalse(schedule.status()["paused"])
        schedule.delete()
        with self.assertRaisesRegex(kml.Error, 'no schedule "nightly"'):
            schedule.status()
        with self.assertRaisesRegex(kml.UsageError, "needs a time"):
            kml.schedule("true")

    def test_the_target_is_shown_once_in_a_process(self):
        program = "import kml\nfor i in range(2): kml.submit('true').wait()\nkml.sweep('t', 'echo a={x}', {'x': [1]}, maximize='a')"
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, check=True).stderr.decode()
        self.assertEqual(done.count("→ local/default as "), 1, done)
        self.assertNotIn("kml: code: ", done)

    def test_a_job_of_another_kubeconfig_is_asked_about_there(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "config").write_text("apiVersion: v1\nkind: Config\n")
            with self.assertRaisesRegex(kml.UsageError, "config is empty"):
                kml.Job("any", kubeconfig=str(pathlib.Path(folder, "config"))).why()

    def test_a_cancelled_job(self):
        job = kml.submit("sleep 100", name="long")
        job.cancel()
        with self.assertRaises(kml.JobFailed):
            job.wait()
        self.assertEqual(job.state, "Cancelled")
        self.assertEqual(list(kml.queue()), [])

    def test_ui_is_a_page_in_a_frame_of_its_own(self):
        page = kml.ui()
        self.assertIn("<!doctype html>", page.html)
        self.assertTrue(page._repr_html_().startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;'))


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
            left = executor.submit(sys.exit, 4)
            with self.assertRaises(SystemExit):
                left.result()
            self.assertIn("exit code 4", left.why()["cause"]["summary"])
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
            with self.assertRaisesRegex(kml.JobFailed, "write it to a volume"):
                larger.result()
            self.assertIn("the result is too large", larger.why()["log"][-1])

    def test_a_result_survives_what_is_printed_at_the_same_time(self):
        with kml.Executor() as executor:
            futures = [executor.submit(calls.bytes_among_prints, 1 << 20) for _ in range(3)]
            closed = executor.submit(calls.closes_its_output)
            self.assertEqual([len(future.result()) for future in futures], [1 << 20] * 3)
            self.assertEqual(closed.result(), "still")

    def test_each_task_of_an_array_ends_by_itself_with_its_own_cause(self):
        with tempfile.TemporaryDirectory() as folder, kml.Executor() as executor:
            go = pathlib.Path(folder, "go")
            futures = executor.map_array(calls.outcome_of, range(4), [str(go)] * 4)
            failures = [future.exception(timeout=300) for future in futures[1:]]
            self.assertFalse(futures[0].done())
            self.assertEqual([failures[0].exit_code, failures[1].exit_code], [7, 137])
            self.assertIn("signal 9", failures[1].why)
            self.assertIn(futures[2].job.name + "-2", failures[1].what)
            self.assertEqual(repr(failures[2]), "KeyError('task 3')")
            go.touch()
            self.assertEqual(futures[0].result(), str(go))
            why = [str(future.why()) for future in futures]
            self.assertRegex(why[0], "-0: Succeeded")
            self.assertRegex(why[1], "exit code 7")
            self.assertRegex(why[2], "signal 9")
            self.assertRegex(why[3], "task 3")
            self.assertNotRegex(why[3], "exit code 7")

    def test_a_result_is_not_in_the_log_that_a_person_reads(self):
        with kml.Executor() as executor:
            forged = executor.submit(calls.forge)
            spaced = executor.submit(print, "a\n\nb\n")
            large = executor.submit(calls.bytes_of, 1 << 20)
            failed = executor.submit(calls.refuse, 7)
            for future, text in ((forged, "kml-result of no kind\nend\n"), (spaced, "a\n\nb\n\n"), (large, "")):
                future.result()
                for log in (future.job.logs(), _kml("logs", future.job.name), _kml("logs", "-f", future.job.name)):
                    self.assertEqual(log, text)
            self.assertIsInstance(failed.exception(), ValueError)
            self.assertNotRegex(_kml("logs", "--first-error", failed.job.name), "kml-result")
            self.assertNotRegex("\n".join(failed.why()["log"]), "kml-result")

    def test_a_function_may_close_descriptors_fork_and_exit(self):
        with kml.Executor() as executor:
            closed, forked = executor.submit(calls.closes_low_descriptors), executor.submit(calls.forks)
            early, unreadable = executor.submit(calls.exits_early), executor.submit(calls.makes_unreadable)
            deleted = executor.submit(calls.waits_for, "/nowhere")
            deleted.job.delete()
            unseen = kml.executor.Future(deleted.job)  # nothing followed the log before the job was deleted
            kml.results.Collector(deleted.job, [unseen], "").follow()
            self.assertEqual((closed.result(), forked.result()), ("still", "parent"))
            for future, kind, text in ((early, kml.JobFailed, "before the function returned"),
                                       (unreadable, kml.Error, "cannot load what the function returned"),
                                       (deleted, kml.JobFailed, "the result of job .* is lost"),
                                       (unseen, kml.JobFailed, "the result of job .* is lost")):
                with self.assertRaisesRegex(kind, text):
                    future.result()

    def test_a_traceback_can_be_read_in_the_log_and_in_why(self):
        with kml.Executor() as executor:
            future = executor.submit(calls.refuse, 7)
            self.assertIsInstance(future.exception(), ValueError)
            self.assertTrue(future.job.logs().endswith("ValueError: no 7\n"), future.job.logs())
            for text in (future.job.logs(), str(future.exception().__cause__)):
                self.assertNotIn("worker.py", text)
                self.assertIn('raise ValueError("no %d" % x)', text)
            self.assertEqual(future.why()["log"][-1], "ValueError: no 7")

    def test_attach_gives_the_future_again_in_another_process(self):
        with tempfile.TemporaryDirectory() as folder, kml.Executor() as executor:
            go = str(pathlib.Path(folder, "go"))
            single = executor.submit(calls.waits_for, go)
            array = executor.map_array(calls.times, [1, 2])
            program = ("import sys, kml\nfuture = kml.attach(sys.argv[1])\nprint(future.done(), flush=True)\n"
                       "open(sys.argv[3], 'w').close()\nprint(future.result(),"
                       " [each.result() for each in kml.attach(sys.argv[2])])")
            other = subprocess.run([sys.executable, "-c", program, single.job.name, array[0].job.name, go],
                                   stdout=subprocess.PIPE, check=True).stdout.decode()
            self.assertEqual(other, "False\n%s [2, 4]\n" % go)
            again = kml.attach(single.job)
            self.assertTrue(again.done())
            self.assertEqual(again.result(), go)
            self.assertEqual([each.done() for each in kml.attach(array[0].job)], [True, True])
            self.assertEqual(kml.attach(array[0].job)[1].stdout(), "times 2\n")
        with self.assertRaisesRegex(kml.UsageError, "cannot attach to job nobody") as refused:
            kml.attach("nobody")
        self.assertNotRegex(str(refused.exception), "Errno|kml.Job\\('nobody'\\)")

    def test_ctrl_c_leaves_futures_pending(self):
        program = """
import os, signal, sys, kml, calls
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore SIGINT
try:
    with kml.Executor() as executor:
        futures = executor.map_array(calls.waits_for, [sys.argv[1]] * 2)
        futures.append(executor.submit(calls.waits_for, sys.argv[1]))
        while not all(thread.is_alive() for thread in executor._threads):
            pass
        os.killpg(0, signal.SIGINT)
        futures[0].result()
except KeyboardInterrupt:
    print([future.done() for future in futures])
open(sys.argv[1], "w").close()
print([future.result(timeout=300) == sys.argv[1] for future in futures])
"""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", program, str(pathlib.Path(folder, "go"))],
                                  stdout=subprocess.PIPE, start_new_session=True, check=True)
        self.assertEqual(done.stdout.decode(), "[False, False, False]\n[True, True, True]\n")

    def test_futures_outlive_the_embedded_server(self):
        """If the server is killed, the jobs go on, and the futures complete with what the next server finds."""
        with tempfile.TemporaryDirectory() as folder, kml.Executor() as executor:
            go = pathlib.Path(folder, "go")
            futures = [executor.submit(calls.waits_for, str(go)), *executor.map_array(calls.waits_for, [str(go)] * 2)]
            for future in futures:
                while future.own_job().state == "Waiting":
                    time.sleep(0.05)
            os.kill(json.loads(_kml("local", "status", "-o", "json"))["process"], signal.SIGKILL)
            self.assertEqual([future.done() for future in futures], [False] * 3)
            go.touch()
            self.assertEqual([future.result(timeout=900) for future in futures], [str(go)] * 3)
            self.assertEqual(executor.submit(calls.times, 3).result(timeout=900), 6)

    def test_a_reader_that_ctrl_c_ends_as_it_starts_is_started_again(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "kml")
            program.write_text('#!/bin/sh\ncase $1 in logs|status) mkdir "$0.$1" 2>/dev/null && kill -INT $$ ;; esac\n'
                               'exec "%s" "$@"\n' % os.environ["KML_BINARY"])
            program.chmod(0o755)
            with unittest.mock.patch.dict(os.environ, KML_BINARY=str(program)), kml.Executor() as executor:
                self.assertEqual([future.result() for future in executor.map_array(calls.times, [1, 2])], [2, 4])
            self.assertEqual(sorted(os.listdir(folder)), ["kml", "kml.logs", "kml.status"])

    @unittest.skipUnless(importlib.util.find_spec("cloudpickle"), "needs cloudpickle")
    def test_a_traceback_has_the_source_lines_of_a_cell(self):
        import linecache

        cell, names = "def outer(x):\n    def inner():\n        return 1 / x\n    return inner()\n", {"__name__": "__main__"}
        linecache.cache["<cell 7>"] = (len(cell), None, cell.splitlines(True), "<cell 7>")
        exec(compile(cell, "<cell 7>", "exec"), names)
        with kml.Executor() as executor:
            failure = executor.submit(names["outer"], 0).exception()
        trace = str(failure.__cause__)
        self.assertEqual([line.strip() for line in trace.splitlines() if "^" not in line and "~" not in line],
                         ["", "Traceback (most recent call last):", 'File "<cell 7>", line 4, in outer', "return inner()",
                          'File "<cell 7>", line 3, in inner', "return 1 / x", "ZeroDivisionError: division by zero"])

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


class Results(unittest.TestCase):
    def test_a_damaged_or_lost_part_is_read_again(self):
        from kml import executor, results, worker

        for fault in (lambda text: text[:-2] + "A=", lambda text: text[:-9], lambda text: ""):
            outcome, (end, begin) = pickle.dumps((True, "x" * 20000)), os.pipe()
            worker._send(begin, 0, outcome, "key")
            os.close(begin)
            with open(end) as log:
                whole = log.read().splitlines()

            class Job:
                name, context, namespace, looks = "job", None, None, 0

                def lines(self, follow=False, in_background=False):
                    self.looks += 1
                    for number, text in enumerate(whole):
                        yield {"pod": "p", "rank": 0, "text": fault(text) if follow and number == 3 else text}

            job = Job()
            future = executor.Future(job)
            results.Collector(job, [future], "key").follow()
            self.assertEqual((len(future.result(timeout=0)), job.looks), (20000, 2))


class Sweeps(unittest.TestCase):
    def test_the_best_trial(self):
        sweep = kml.sweep("lr", "echo acc={lr}", {"lr": [0.1, 0.3, 0.2]}, maximize="acc", trials=3).wait()
        self.assertEqual(sweep.best()["parameters"], {"lr": 0.3})
        self.assertIn("<td>0.3</td>", sweep._repr_html_())


    def test_values_are_what_they_are(self):
        from kml import sweeps

        for values, text in [(range(3), "0,1,2"), ((0.1, 1), "0.1,1"), ([True, False], "True,False"), (7, "7"),
                             ((n for n in (1, 2)), "1,2"), ("log:1e-4..1", "log:1e-4..1"),
                             (["adam", "sgd"], "adam,sgd"), (list(calls.Optimizer), "adam,sgd")]:
            self.assertEqual(sweeps._param("x", values), text)
        for values in [["a,b", "c"], ["1..3"], [float("nan")], [None], {"a": 1}, b"x", [[1, 2]], [], None, [""],
                       ["log:1", "2"], [calls.Grid()]]:
            with self.assertRaises(kml.UsageError, msg=repr(values)):
                sweeps._param("x", values)
        sweep = kml.sweep("three", "echo acc={n}", {"n": range(3)}, maximize="acc", trials=3, algorithm="grid").wait()
        self.assertEqual(sorted(trial["n"] for trial in sweep.trials()), [0, 1, 2])
        sweep = kml.sweep("flags", 'if [ {on} = False ]; then echo acc=1; else echo acc=0; fi', {"on": [True, False]},
                          maximize="acc", trials=2, algorithm="grid").wait()
        self.assertIs(sweep.best()["parameters"]["on"], False)


class Package(unittest.TestCase):
    def test_import_loads_neither_subprocess_nor_jobs(self):
        program = "import sys; before = set(sys.modules); import kml; print(set(sys.modules) - before)"
        loaded = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True).stdout.decode()
        for module in "'subprocess'", "'typing'", "'kml.jobs'":
            self.assertNotIn(module, loaded)

    def test_every_name_is_there(self):
        for name in kml.__all__:
            self.assertTrue(getattr(kml, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
