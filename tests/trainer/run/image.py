"""trainer/image: the image is the same bit for bit wherever it is made, and contains every library that the program
needs. tests/trainer/image_twice also builds the program twice."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

from support import TRAINER, check

SOURCE = pathlib.Path(os.environ["SOURCE"]) / "trainer"


def make(folder, umask, **changed):
    """Makes the image in that folder."""
    folder.mkdir(parents=True)
    done = subprocess.run([SOURCE / "image", "kml-trainer.tar", TRAINER], cwd=folder, capture_output=True, text=True,
                          umask=umask, env={**os.environ, **changed})
    check(done.returncode == 0, done.stdout + done.stderr)
    return (folder / "kml-trainer.tar").read_bytes()


def blob(image, descriptor):
    """The content of a descriptor, after comparing it with the descriptor."""
    kind, digest = descriptor["digest"].split(":")
    content = image.extractfile(f"blobs/{kind}/{digest}").read()
    check(len(content) == descriptor["size"] and hashlib.new(kind, content).hexdigest() == digest, f"damaged: {descriptor}")
    return content


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    first = make(work / "here", 0o022)
    second = make(work / "a much longer way" / "down", 0o077, LANG="de_DE.UTF-8", TZ="Asia/Tokyo", GZIP="-1",
                  TAR_OPTIONS="--mode=700")
    check(first == second, "two images differ")

    image = tarfile.open(fileobj=io.BytesIO(first))
    (index,) = json.load(image.extractfile("index.json"))["manifests"]
    manifest = json.loads(blob(image, index))
    config = json.loads(blob(image, manifest["config"]))
    layer = blob(image, manifest["layers"][0])
    contents = tarfile.open(fileobj=io.BytesIO(layer))
    unpacked = hashlib.sha256(gzip.decompress(layer)).hexdigest()
    check(config["rootfs"]["diff_ids"] == ["sha256:" + unpacked], "diff_ids")
    (docker,) = json.load(image.extractfile("manifest.json"))
    check(docker["RepoTags"] == [index["annotations"]["io.containerd.image.name"]], "two names")
    check(docker["Config"].endswith(manifest["config"]["digest"][7:]), "Docker's manifest has another configuration")
    check(docker["Layers"][0].endswith(manifest["layers"][0]["digest"][7:]), "Docker's manifest has another layer")

    members = {member.name: member for member in contents.getmembers()}
    check(all(member.uid == 0 and member.mtime == 0 for member in members.values()), "owners and times")
    check(all(member.mode & 0o555 == 0o555 for member in members.values() if not member.name.startswith("etc/")),
          "not for every user")
    check(members["tmp"].mode == 0o1777, "/tmp")
    check({"bin/sh", "bin/cat", "bin/gzip", "bin/tar"} <= members.keys(), "what `kml submit --code` needs")

    # The image's own loader finds all libraries of the program in the image.
    contents.extractall(work / "root")
    (loader,) = (work / "root").glob("lib64/ld-linux-*")
    folders = {str(path.parent) for path in (work / "root").glob("**/*.so*")}
    listed = subprocess.run([loader, "--inhibit-cache", "--library-path", ":".join(folders), "--list",
                             work / "root/usr/bin/kml-trainer"], capture_output=True, text=True)
    libraries = [line for line in listed.stdout.splitlines() if "=>" in line]
    check(listed.returncode == 0 and len(libraries) >= 3, listed.stdout + listed.stderr)
    check(all(str(work) in line for line in libraries), "from outside:\n" + listed.stdout)

    (work / "few").mkdir()
    for tool in "bash cut dirname mktemp realpath rm uname".split():
        (work / "few" / tool).symlink_to(shutil.which(tool))
    done = subprocess.run([SOURCE / "image", work / "none.tar", work / "root/usr/bin/kml-trainer"],
                          capture_output=True, text=True, env={"PATH": str(work / "few")})
    check(done.returncode == 1 and "apt-get install busybox-static" in done.stderr, "BusyBox is missing: " + done.stderr)
