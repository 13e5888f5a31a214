#!/usr/bin/env python3
"""Packs a static kml: pack.py VERSION BINARY FOLDER DEPENDENCIES [NATIVE] makes a tarball, a wheel, a .deb, a container
image and a bill of materials. DEPENDENCIES is what release/dependencies made. NATIVE is a kml that runs here; for macOS,
pack.py makes no .deb and no image.

The time of every file is SOURCE_DATE_EPOCH, so that the same input gives the same bytes.
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import materials

SOURCE = pathlib.Path(__file__).resolve().parent.parent
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
# The processor of a program, by e_machine of its ELF header: the kernel's name and Debian's.
MACHINES = {62: ("x86_64", "amd64"), 183: ("aarch64", "arm64")}
MACH_O = b"\xcf\xfa\xed\xfe"
SUMMARY = "Turns a training command into a Kubernetes job"
MAINTAINER = "kml developers <developers@kml.dev>"
# In the wheel, which cannot contain links. kml looks at its name.
PLUGIN = """#!python
import os
import sys

os.execv(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kml"), ["kubectl-kml", *sys.argv[1:]])
"""
COPYRIGHT = """Copyright 2026 the kml developers. kml is licensed under the Apache License 2.0. On Debian, its text is in
/usr/share/common-licenses/Apache-2.0.

The program contains libraries under their own licences, which are in licences.gz.
"""


def compressed(text):
    return gzip.compress(text, 9, mtime=0)


def installed(binary, program, licences):
    """The files below the prefix, /usr or ~/.local: path -> (mode, bytes); for links (None, target). `program` is the
    command that starts kml here."""

    def completion(shell):
        return subprocess.run([*program, "completion", shell], stdout=subprocess.PIPE, check=True).stdout

    files = {"bin/kml": (0o755, binary.read_bytes()), "bin/kubectl-kml": (None, "kml"),
             "share/bash-completion/completions/kml": (0o644, completion("bash")),
             "share/zsh/vendor-completions/_kml": (0o644, completion("zsh")),
             "share/fish/vendor_completions.d/kml.fish": (0o644, completion("fish")),
             "share/doc/kml/copyright": (0o644, COPYRIGHT.encode()),
             "share/doc/kml/licences.gz": (0o644, compressed(licences)),
             "share/man/man1/kubectl-kml.1.gz": (None, "kml.1.gz")}
    for page in sorted((SOURCE / "man").glob("*.1")):
        files["share/man/man1/%s.gz" % page.name] = (0o644, compressed(page.read_bytes()))
    return files


def tarball(path, files):
    with open(path, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=EPOCH) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, (mode, content) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.mtime = EPOCH
            if mode is None:
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                archive.addfile(entry)
            else:
                entry.mode, entry.size = mode, len(content)
                archive.addfile(entry, io.BytesIO(content))


def wheel(path, version, files, licences):
    """The Python package, with the program where pip puts scripts (the binary distribution format of PyPA)."""
    info = "kml_cli-%s.dist-info" % version
    metadata = "\n".join(["Metadata-Version: 2.1", "Name: kml-cli", "Version: " + version, "Summary: " + SUMMARY,
                          "License: Apache-2.0", "Requires-Python: >=3.9", "Provides-Extra: functions",
                          "Requires-Dist: cloudpickle; extra == 'functions'",
                          "Description-Content-Type: text/markdown", "",
                          (SOURCE / "release/python/README.md").read_text()])
    tags = path.name[:-len(".whl")].split("-")[2:]
    facts = ["Wheel-Version: 1.0", "Generator: kml", "Root-Is-Purelib: false"]
    facts += ["Tag: %s-%s-%s" % (tags[0], tags[1], platform) for platform in tags[2].split(".")]
    content = {"kml/%s" % file.name: (0o644, file.read_bytes())
               for file in (SOURCE / "release/python/kml").iterdir() if file.suffix == ".py" or file.name == "py.typed"}
    data = "kml_cli-%s.data" % version
    content[data + "/scripts/kml"] = files["bin/kml"]
    content[data + "/scripts/kubectl-kml"] = (0o755, PLUGIN.encode())
    for name, file in files.items():
        if name.startswith("share/") and not name.startswith("share/doc/") and file[0] is not None:
            content["%s/data/%s" % (data, name)] = file
    content[info + "/METADATA"] = (0o644, metadata.encode())
    content[info + "/WHEEL"] = (0o644, "".join(line + "\n" for line in facts).encode())
    content[info + "/LICENSE"] = (0o644, licences)
    record = "".join("%s,sha256=%s,%d\n" % (
        name, base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode(), len(text))
        for name, (_, text) in sorted(content.items()))
    content[info + "/RECORD"] = (0o644, (record + info + "/RECORD,,\n").encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (mode, text) in sorted(content.items()):
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)


def deb(path, version, architecture, files):
    changelog = "kml (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n" % (
        version, MAINTAINER, time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(EPOCH)))
    overrides = ("# So that one program runs on any Linux. release/dependencies builds the libraries.\n"
                 "kml: statically-linked-binary *\nkml: embedded-library *\n")
    with tempfile.TemporaryDirectory() as root:
        size = 0
        extra = {"share/doc/kml/changelog.gz": (0o644, compressed(changelog.encode())),
                 "share/lintian/overrides/kml": (0o644, overrides.encode())}
        for name, (mode, content) in {**files, **extra}.items():
            file = pathlib.Path(root, "usr", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            if mode is None:
                file.symlink_to(content)
                continue
            file.write_bytes(content)
            file.chmod(mode)
            size += len(content)
        control = pathlib.Path(root, "DEBIAN/control")
        control.parent.mkdir()
        control.write_text("\n".join([
            "Package: kml", "Version: " + version, "Architecture: " + architecture, "Maintainer: " + MAINTAINER,
            "Installed-Size: %d" % (size // 1024), "Recommends: ca-certificates", "Section: utils",
            "Priority: optional", "Description: turn a training command into a Kubernetes job",
            " kml submits training commands as jobs to a Kubernetes cluster or to this",
            " machine, shows why they wait or failed, follows their logs, and runs sweeps",
            " and pipelines.", ""]))
        for folder, _, names in os.walk(root):
            for name in [".", *names]:
                os.utime(os.path.join(folder, name), (EPOCH, EPOCH), follow_symlinks=False)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path], check=True,
                       stdout=subprocess.DEVNULL)


def sums(files):
    """What sha256sum writes for these files."""
    return "".join("%s  %s\n" % (hashlib.sha256(content).hexdigest(), name)
                   for name, (mode, content) in sorted(files.items()) if mode is not None).encode()


def main():
    version, binary, folder, dependencies, *native = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:])
    head = binary.read_bytes()[:20]
    is_macos = head.startswith(MACH_O)
    machine, architecture = ("arm64", "arm64") if is_macos else MACHINES[int.from_bytes(head[18:20], "little")]
    licences = materials.licences(SOURCE, dependencies)
    emulator = [] if is_macos or machine == os.uname().machine else ["qemu-%s-static" % machine]
    files = installed(binary, native[:1] if is_macos else [*emulator, binary], licences)
    name = "kml-%s-%s-%s" % (version, "macos" if is_macos else "linux", architecture)
    unpacked = {**files, "SHA256SUMS": (0o644, sums(files)), "install": (0o755, (SOURCE / "release/install").read_bytes())}
    tarball(folder / (name + ".tar.gz"), {name + "/" + path: file for path, file in unpacked.items()})
    platforms = "macosx_11_0_arm64" if is_macos else "manylinux2014_%s.musllinux_1_1_%s" % (machine, machine)
    wheel(folder / ("kml_cli-%s-py3-none-%s.whl" % (version, platforms)), version, files, licences)
    (folder / (name + ".cdx.json")).write_text(materials.bill(version, files["bin/kml"][1], EPOCH, dependencies))
    if is_macos:
        return
    deb(folder / ("kml_%s_%s.deb" % (version, architecture)), version, architecture, files)
    with tempfile.TemporaryDirectory() as work:
        beside = pathlib.Path(work, "licences.gz")
        beside.write_bytes(compressed(licences))
        subprocess.run([SOURCE / "examples/engine-image", folder / (name + "-oci.tar"), binary, beside], check=True)


if __name__ == "__main__":
    main()
