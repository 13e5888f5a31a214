"""trainer/image: the image contains the NCCL that it is given, and its loader finds NCCL, and the driver wherever a
node puts it. A small program and libraries without content stand for the trainer, NCCL and the driver."""

import gzip
import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile

from support import TRAINER, check

IMAGE = pathlib.Path(os.environ["SOURCE"]) / "trainer/image"
MACHINE = os.uname().machine
DRIVER = {  # the folder of libcuda.so.1 in a container
    "GKE: its device plugin mounts one folder of the node": "usr/local/nvidia/lib64",
    "EKS, GPU operator: NVIDIA's runtime, in an image without /etc/debian_version": "usr/lib64",
    "AKS, k3s: by CDI, at the paths of a node with Ubuntu or Debian": f"usr/lib/{MACHINE}-linux-gnu",
}

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)

    def compile(name, text, *flags):
        (work / "source.c").write_text(text)
        subprocess.run(["gcc", work / "source.c", "-o", work / name, *flags], check=True)
        return work / name

    library = compile("libnccl.so.2", "", "-shared", "-fPIC")
    probe = compile("probe", "#include <dlfcn.h>\nint main(int n, char** names) { return !dlopen(names[1], RTLD_NOW); }")
    program = work / "kml-trainer"
    program.write_text(f'#!/bin/sh\nexec {TRAINER} "$@"\n')
    program.chmod(0o755)
    strip = work / "strip"  # cannot strip a script
    strip.write_text("#!/bin/sh\n")
    strip.chmod(0o755)
    done = subprocess.run([IMAGE, work / "image.tar", program], capture_output=True, text=True,
                          env={**os.environ, "KML_TRAINER_NCCL": str(library), "PATH": f"{work}:{os.environ['PATH']}"})
    check(done.returncode == 0, done.stdout + done.stderr)
    image = tarfile.open(work / "image.tar")
    (about,) = json.load(image.extractfile("manifest.json"))
    config = json.load(image.extractfile(about["Config"]))["config"]
    variables = dict(variable.split("=", 1) for variable in config["Env"])
    check({"compute", "utility"} <= set(variables["NVIDIA_DRIVER_CAPABILITIES"].split(",")), variables)
    root = work / "root"
    tarfile.open(fileobj=io.BytesIO(gzip.decompress(image.extractfile(about["Layers"][0]).read()))).extractall(root)

    (loader,) = pathlib.Path("/lib64").glob("ld-linux-*")

    def finds(name):
        """Whether a program in the image can load that library."""
        folders = ":".join(f"{root}{folder}" for folder in variables["LD_LIBRARY_PATH"].split(":"))
        return subprocess.run([loader, "--inhibit-cache", "--library-path", folders, probe, name]).returncode == 0

    check(finds("libnccl.so.2"), "NCCL is not found")
    for node, folder in DRIVER.items():
        check(not finds("libcuda.so.1"), "this machine has a driver of its own")
        (root / folder).mkdir(parents=True, exist_ok=True)
        placed = root / folder / "libcuda.so.1"
        placed.write_bytes(library.read_bytes())
        check(finds("libcuda.so.1"), f"the driver is not found: {node}")
        placed.unlink()
