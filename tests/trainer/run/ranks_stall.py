"""--stall-timeout: if a rank hangs (here it is stopped), the others exit with the status that restarts them."""

import re
import signal
import tempfile

from support import STEPS, Ranks, check, newest, ranks, trainer

FLAGS = ["--max_steps", STEPS // 4, "--seed", 7, "--checkpoint-every", 3]
with tempfile.TemporaryDirectory() as folder:
    trainer(*FLAGS, "--checkpoint-dir", f"{folder}/whole")
    job = Ranks(3, *FLAGS, "--checkpoint-dir", f"{folder}/stalled", "--stall-timeout", 3)
    job.processes[0].stdout.readline()
    job.processes[2].send_signal(signal.SIGSTOP)
    said = [process.communicate() for process in job.processes[:2]]
    job.processes[2].kill()
    job.processes[2].communicate()
    codes = [process.returncode for process in job.processes[:2]]
    check(codes == [138, 138], f"exit statuses {codes}: {said}")
    check(any(re.search(r"ranks? [\d, ]+ ha(s|ve) exchanged nothing for 3 s \(--stall-timeout\)", err) for _, err in said), str(said))
    ranks(2, *FLAGS, "--checkpoint-dir", f"{folder}/stalled")
    check(newest(f"{folder}/stalled").read_bytes() == newest(f"{folder}/whole").read_bytes(), "resumed, other bytes")
