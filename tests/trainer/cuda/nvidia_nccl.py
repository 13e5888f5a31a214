"""Called by nvidia_nccl."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import support
from small_data import write_data
from support import check, ranks

with tempfile.TemporaryDirectory() as work:
    data = write_data(pathlib.Path(work) / "data")
    common = ["--hidden", 40, "--batch-size", 24, "--max_steps", 3, "--device", "cuda", "--data", data, "--meeting-timeout", 30]
    support.env["LD_LIBRARY_PATH"] = os.environ["NCCL"]
    # With a wrong unique id or configuration it would say "invalid argument", and without a deadline nothing.
    lacking = "ncclCommInitRankConfig: unhandled cuda error"
    _, err = ranks(2, *common, "--communicator", "nccl", expect=1)
    check("NCCL cannot join the ranks' GPUs" in err and lacking in err, err)
    _, err = ranks(2, *common)
    check("gradients are sent between the hosts, by TCP: " in err and lacking in err, err)
