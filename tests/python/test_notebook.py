"""A notebook that uses the magics, run as Jupyter runs it. Needs nbclient, nbformat, ipykernel and cloudpickle."""

import unittest

import nbformat
from nbclient import NotebookClient

CELLS = [
    "%load_ext kml\nimport kml",
    "%%kml submit --name cell --env X=5\nimport os\nprint('sum', int(os.environ['X']) + 1)",
    "import math\ndef root(x):\n    return math.sqrt(x)\nwith kml.Executor() as ex:\n    print(ex.submit(root, 49).result())",
    "kml.runs(limit=1)",
    "%kml queue",
    "%kml why cell",
    "%%kml submit\nraise SystemExit(4)",
    "%%kml submit\ndef train():\n    raise ValueError('no data')\ntrain()",
    "long = kml.submit('sleep 1000', name='long')\nimport os, threading\n"
    "threading.Timer(1, lambda: os.kill(os.getpid(), 2)).start()\nkml.watch_queue()\nprint('left')\nlong.cancel()",
    "kml.ui()",
    "%%kml submit --follow --name followed\nprint('followed')",
    "%kml why nobody",
    "%%kml sumbit\n1",
    "def ask():\n    kml.Job('nobody').why()\nask()",
]


class Notebook(unittest.TestCase):
    def test_cells_run_as_jobs(self):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
        NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
        # Notes of kml, such as the target, are on the standard error.
        outputs = [[output for output in cell.outputs if output.get("name") != "stderr"] for cell in notebook.cells]
        notes = ["".join(output.text for output in cell.outputs if output.get("name") == "stderr") for cell in notebook.cells]
        self.assertEqual(outputs[0], [])
        self.assertEqual(outputs[1][0].text, "sum 6\n")
        self.assertIn("<pre>cell: Succeeded", outputs[1][1].data["text/html"])
        self.assertEqual(outputs[2][0].text, "7.0\n")
        self.assertIn("<table>", outputs[3][0].data["text/html"])
        self.assertIn("<th>position</th>", outputs[4][0].data["text/html"])
        self.assertIn("has succeeded", outputs[5][0].text)
        self.assertEqual(outputs[6][-1].ename, "JobFailed")
        self.assertIn("exit code 4", outputs[6][-1].evalue)
        self.assertIn("ValueError: no data", outputs[7][0].text)
        self.assertEqual(outputs[7][-1].traceback, outputs[7][-1].evalue.splitlines())
        self.assertNotIn("magics.py", str(outputs[7]))
        self.assertEqual(outputs[8][-1].text, "left\n")
        for number in (1, 6, 7, 10):
            self.assertIn("→ local/default as ", notes[number])
        self.assertEqual(outputs[10][0].text, "followed\n")
        for number, text in ((11, 'no job "nobody"'), (12, 'unknown command "sumbit"')):
            self.assertTrue(outputs[number][-1].traceback[0].startswith(text), outputs[number])
            self.assertNotIn("magics.py", str(outputs[number]))
        self.assertEqual(outputs[13][-1].traceback[:5], ["line 3, in <module>", "    ask()", "line 2, in ask", "    kml.Job('nobody').why()",
                                                         'Error: no job "nobody" in namespace default'])
        self.assertTrue(outputs[9][0].data["text/html"].startswith('<iframe sandbox="allow-scripts" srcdoc="'))


if __name__ == "__main__":
    unittest.main()
