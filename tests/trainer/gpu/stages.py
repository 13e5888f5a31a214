"""The stages of a session on a GPU. No stage depends on an earlier one, except that `blame` depends on `smoke`."""

import glob
import os
import shutil
import statistics
import struct

from session import Training, check_near, check_same, ranks

CNN_FLOP = 71.565e6  # for each image, forward and backward


def mlp(session, *more):
    small = ["--hidden", 16, "--batch-size", 8] if session.is_small else ["--batch-size", 100]
    return ["--device", "cuda", "--model", "mlp", *small, *more]


def cnn(session, *more):
    small = ["--hidden", 16, "--batch-size", 4] if session.is_small else ["--batch-size", 128]
    return ["--device", "cuda", "--model", "cnn", *small, *more]


def updates(count):
    return ["--max_steps", count, "--evaluate-every", 0]


def find(name, *places):
    return shutil.which(name) or next((found for place in places for found in glob.glob(place)), None)


def machine(session):
    """A description of the machine, for the reader of the table."""
    query = "name,driver_version,compute_cap,mig.mode.current,compute_mode,clocks.sm,clocks.max.sm,memory.total"
    for argv in (["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
                 ["sh", "-c", "nvcc --version | tail -2 | head -1; ldd --version | head -1; nproc; python3 --version"],
                 [session.trainer, "--version"]):
        if shutil.which(argv[0]):
            _, _, out, err = session.run(argv, 20)
            session.note(os.path.basename(argv[0]), " / ".join((out or err).split("\n"))[:170])


def smoke(session):
    """Each set of kernels runs, with sane losses."""
    count = 2 if session.is_small else 45
    session.smoked = {}
    rows = [(f"{model} {kernels} {precision}", model, ["--kernels", kernels, "--precision", precision])
            for model in ("mlp", "cnn") for kernels in ("plain", "fast") for precision in session.precisions]
    rows += [(f"mlp three {precision}", "mlp", ["--kernels", "three", "--precision", precision]) for precision in session.precisions]
    rows += [("mlp sgd shift", "mlp", ["--optimizer", "sgd", "--shift", 1])]
    for name, model, own in rows:
        flags = [*(mlp(session) if model == "mlp" else cnn(session)), *own, *updates(count)]
        training = Training(session, f"smoke {name}", flags)
        session.smoked[name] = (model, own, training)
        if training.status not in (0, None):  # does a kernel fail, or its loading while a graph is captured?
            eager = Training(session, f"smoke {name} eager", flags, env={**session.env, "CUDA_MODULE_LOADING": "EAGER"})
            session.note(f"  {name}, CUDA_MODULE_LOADING=EAGER", eager)
        is_sane = training.is_done and all(loss < 20 for loss in training.losses)
        session.check(f"smoke {name}", is_sane or training.status is None, str(training))


def sanitize(session, tool, model, *flags, limit=45):
    """Three updates with a few images, because programs take up to a hundred times as long."""
    sanitizer = find("compute-sanitizer", "/usr/local/cuda*/bin/compute-sanitizer", "/opt/nvidia/*/compute-sanitizer")
    if not sanitizer:
        return session.note("compute-sanitizer", "not found")
    report = session.work / "report"
    argv = [sanitizer, "--tool", tool, "--error-exitcode", 9, "--log-file", report, session.trainer, "--device", "cuda",
            "--data", few_images(session), "--model", model, *flags, *updates(3),
            "--hidden", 64, "--batch-size", 43]
    status, seconds, _, _ = session.run(argv, limit)
    name = " ".join([tool, model, *(str(flag) for flag in flags if not str(flag).startswith("--"))])
    if status is None:
        return session.note(name, "LEFT OUT: no time")
    session.check(name, status == 0, f"exit status {status}, {seconds:.1f} s")
    if status != 0 and report.exists():
        text = report.read_text(errors="replace")
        session.log.write(text[:20000])
        print("\n".join(text.splitlines()[:25]), flush=True)


def few_images(session):
    folder = session.work / "few"
    folder.mkdir(exist_ok=True)
    for part, most in (("train", 300), ("t10k", 200)):
        images = (session.data / f"{part}-images-idx3-ubyte").read_bytes()
        count, rows, columns = struct.unpack_from(">3I", images, 4)
        count = min(count, most)
        labels = (session.data / f"{part}-labels-idx1-ubyte").read_bytes()
        (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, rows, columns) + images[16:16 + rows * columns * count])
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + labels[8:8 + count])
    return folder


def blame(session):
    """For the first three failures in `smoke`, finds the memory access that failed, and its kernel."""
    failed = [(model, own) for model, own, training in getattr(session, "smoked", {}).values() if training.status not in (0, None)]
    for model, own in failed[:3]:
        sanitize(session, "memcheck", model, *own, limit=60)


def right(session):
    """The results of a CPU and of the plain kernels; the same bits twice, after a resume, and with more ranks."""
    count = 2 if session.is_small else 23
    for model, base, most in (("mlp", mlp(session), 1e-4), ("cnn", cnn(session), 1e-3)):
        def train(name, *flags, steps=count, **options):
            return Training(session, f"{model} {name}", [*base, *updates(steps), *flags], **options)

        cpu, gpu = train("cpu", "--device", "cpu", limit=90), train("gpu")
        check_near(session, f"right {model} fp32: CPU", gpu, cpu, most)
        for precision, rounding in (("fp32", most), ("tf32", 1e-2), ("bf16", 5e-2)):
            if precision not in session.precisions:
                continue
            of = ("--precision", precision)
            fast = gpu if precision == "fp32" else train(precision, *of)
            check_near(session, f"right {model} {precision}: plain kernels", fast, train(f"{precision} plain", *of, "--kernels", "plain"), rounding)
            check_near(session, f"right {model} {precision}: fp32", fast, gpu, rounding)
            check_same(session, f"bits {model} {precision}: twice", train(f"{precision} again", *of), fast)
            if model == "mlp":
                check_same(session, f"bits {model} {precision}: three kernels", train(f"{precision} three", *of, "--kernels", "three"), fast)
        bits = train("bits", "--precision", "bf16")
        train("parts", "--precision", "bf16", steps=count // 2)
        check_same(session, f"bits {model} bf16: resumed", train("parts", "--precision", "bf16"), bits)
        for world in (2,) if session.is_small else (2, 8):
            flags = [*base, *updates(count), "--precision", "bf16", "--communicator", "tcp"]
            check_same(session, f"bits {model} bf16: {world} ranks over TCP", ranks(session, f"{model} by {world}", world, flags), bits)


def speed(session):
    """The time of an update, the demo, and the same bits in thousands of updates: races between blocks, which no
    sanitizer sees, would change some."""
    steps = 10 if session.is_small else 3000
    for precision in session.precisions:
        for kernels in ("fast", "three", "plain"):
            training = Training(session, f"speed {precision} {kernels}", mlp(session, "--precision", precision, "--kernels", kernels, *updates(steps)))
            whole = training.seconds / max(1, len(training.losses))
            session.note(f"speed mlp {precision} {kernels}", f"{training.update * 1e6:8.2f} us an update, {whole * 1e6:.2f} with metrics"
                         if training.is_done else training)
    for kernels in ("fast", "three"):
        flags = mlp(session, "--precision", "bf16", "--kernels", kernels, *updates(steps))
        check_same(session, f"bits mlp bf16 {kernels}: {steps} updates twice", *(Training(session, f"long {kernels} {i}", flags) for i in (1, 2)))
    batch = 4 if session.is_small else 1024
    for kernels in ("fast", "plain"):
        training = Training(session, f"speed cnn {kernels}", cnn(session, "--batch-size", batch, "--precision", "bf16", "--kernels", kernels,
                                                                 *updates(2 if session.is_small else 200)))
        session.note(f"speed cnn bf16 {batch} {kernels}", f"{training.update * 1e6:8.1f} us an update, {CNN_FLOP * batch / training.update / 1e12:.0f} TFLOP/s"
                     if training.is_done else training)
    demo(session)
    empty_program(session)


def demo(session):
    seeds = range(1, 2 if session.is_small else 6)
    runs = [Training(session, f"demo {seed}", mlp(session, "--max_steps", 20 if session.is_small else 500, "--precision", "tf32", "--seed", seed)) for seed in seeds]
    done = [training for training in runs if training.is_done]
    if not done:
        return session.check("demo", False, str(runs[0]))
    evaluations = [event["seconds"] for training in done for event in training.events if event["event"] == "evaluation"]
    of_updates = [sum(event["seconds"] for event in training.events if event["event"] == "update") for training in done]
    session.note("demo, 500 steps tf32", f"{statistics.median(t.seconds for t in done) * 1e3:.1f} ms (updates {statistics.median(of_updates) * 1e3:.1f}, an evaluation "
                 f"{statistics.median(evaluations) * 1e3:.2f}); the process {statistics.median(t.wall for t in done):.2f} s")
    accuracies = [training.accuracy for training in done]
    session.check("demo, accuracies", session.is_small or all(0.94 < accuracy < 0.97 for accuracy in accuracies), str(accuracies))


def empty_program(session):
    """The time that a process with a GPU takes before the trainer does anything."""
    nvcc = find("nvcc", "/usr/local/cuda*/bin/nvcc")
    if not nvcc or session.left() < 20:
        return
    source, program = session.work / "empty.cu", session.work / "empty"
    source.write_text("int main() { return cudaFree(0); }\n")
    session.run([nvcc, "-o", program, source], 30, env=dict(os.environ))
    session.note("an empty CUDA program", f"{statistics.median(session.run([program], 20)[1] for _ in range(5)):.2f} s")


def profile(session):
    """The time and the bank conflicts of each kernel, by Nsight Compute."""
    ncu = find("ncu", "/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda*/bin/ncu")
    if not ncu:
        return session.note("ncu", "not found")
    shown = ("gpu__time_duration.sum", "l1tex__data_bank_conflicts_pipe_lsu.sum")
    metrics = ",".join((*shown, "sm__inst_executed.sum", "smsp__inst_executed_pipe_tensor.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                        "smsp__issue_active.avg.pct_of_peak_sustained_active", "launch__registers_per_thread"))
    for name, flags in (("mlp", mlp(session, *updates(8))), ("mlp-three", mlp(session, "--kernels", "three", *updates(4))),
                        ("cnn", cnn(session, "--batch-size", 1024, *updates(1)))):
        status, seconds, out, _ = session.run([ncu, "--clock-control", "none", "--graph-profiling", "node", "--csv", "--metrics", metrics, "-c", 24,
                                               session.trainer, "--data", session.data, *flags, "--precision", "bf16"], 60)
        (session.out / f"ncu-{name}.csv").write_text(out)
        session.note(f"ncu {name}", f"exit status {status}, {seconds:.0f} s; ncu-{name}.csv")
        for line in out.splitlines():
            cells = line.strip('"').split('","')
            if len(cells) > 12 and cells[-3] in shown:
                print("   ", cells[4][:70], cells[-3], cells[-1], cells[-2])


def nccl(session):
    """Two ranks on this one GPU. Each has a different host name, so that NCCL treats them as two nodes."""
    library = os.environ.get("LIBNCCL") or find("libnccl.so.2", "/opt/*/.venv/lib/python3*/site-packages/nvidia/nccl/lib/libnccl.so.2",
                                                "/usr/lib/x86_64-linux-gnu/libnccl.so.2")
    if not library:
        return session.note("nccl", "no libnccl.so.2")
    env = {**session.env, "LD_LIBRARY_PATH": f"{os.path.dirname(library)}:{session.env['LD_LIBRARY_PATH']}", "NCCL_SOCKET_IFNAME": "lo",
           "NCCL_DEBUG": "WARN", "NCCL_IB_DISABLE": "1", "NCCL_MULTI_RANK_GPU_ENABLE": "1"}
    flags = mlp(session, *updates(20), "--precision", "bf16")
    alone = Training(session, "nccl alone", flags)
    flags += ["--communicator", "nccl", "--stall-timeout", 25, "--meeting-timeout", 30]
    two = ranks(session, "nccl two", 2, flags, env, lambda rank: ("unshare", "--uts", "sh", "-c", f'hostname kml-{rank}; exec "$0" "$@"'))
    check_same(session, "bits mlp bf16: 2 ranks over NCCL on one GPU", two, alone)


def torch(session):
    """PyTorch's time for the same updates, if it is installed."""
    script = session.kit / "trainer_gpu_torch.py"
    plain = dict(os.environ)  # Python needs its own libraries
    if session.run(["python3", "-c", "import torch"], 60, env=plain)[0] != 0:
        return session.note("torch", "not installed: not measured")
    for mode in ("eager", "graph", "compile"):
        for model, batch, precision in (("mlp", 100, "tf32"), ("cnn", 1024, "bf16")):
            status, seconds, out, err = session.run(["python3", script, "--data", session.data, "--model", model, "--mode", mode, "--batch", batch, "--precision", precision],
                                                    120 if mode == "compile" else 60, env=plain)
            session.note(f"torch {model} {precision} {mode}", f"{float(out) * 1e6:8.1f} us an update ({seconds:.0f} s)" if status == 0 else f"exit status {status}: {err[-100:]}")


def sanitizer(session):
    for tool in ("racecheck", "memcheck", "initcheck", "synccheck"):
        for model in ("mlp", "cnn"):
            sanitize(session, tool, model, "--precision", "bf16", "--kernels", "fast")
        sanitize(session, tool, "mlp", "--precision", "bf16", "--kernels", "three")


STAGES = {stage.__name__: stage for stage in (machine, smoke, blame, right, speed, profile, nccl, torch, sanitizer)}
