"""make_conda.py FOLDER: writes a channel of conda with a Python, two versions of `tiny`, which is a noarch package, `tool`,
which needs it and has its own path in a file, and `far`, which only another processor has.

The Python is a virtual environment of the Python that runs this program.
"""

import hashlib
import io
import json
import os
import pathlib
import platform
import sys
import tarfile

ROOT = pathlib.Path(sys.argv[1])
HERE = "linux-" + {"x86_64": "64"}.get(platform.machine(), platform.machine())
PLACE = "/placeholder" * 10
HOME = os.path.dirname(os.path.realpath(sys.executable))
VERSION = "%d.%d" % sys.version_info[:2]


def paths_of(files, links):
    for path, text in files.items():
        entry = {"_path": path, "path_type": "hardlink", "sha256": hashlib.sha256(text.encode()).hexdigest()}
        entry["size_in_bytes"] = len(text)
        if PLACE in text:
            entry.update(prefix_placeholder=PLACE, file_mode="text")
        yield entry
    for path in links:
        yield {"_path": path, "path_type": "softlink", "sha256": hashlib.sha256().hexdigest(), "size_in_bytes": 0}


def package(subdir, name, version, depends=(), files={}, links={}, noarch=None):
    index = {"name": name, "version": version, "build": "0", "build_number": 0, "depends": list(depends), "subdir": subdir}
    infos = {"info/paths.json": {"paths": list(paths_of(files, links)), "paths_version": 1}}
    if noarch:
        index["noarch"] = noarch
        link = {"type": noarch, "entry_points": ["%s = %s:main" % (name, name)]}
        infos["info/link.json"] = {"noarch": link, "package_metadata_version": 1}
    infos["info/index.json"] = index
    texts = {path: json.dumps(value) for path, value in infos.items()}
    texts["info/files"] = "".join(path + "\n" for path in [*files, *links])
    file = ROOT / subdir / ("%s-%s-0.tar.bz2" % (name, version))
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:bz2") as tar:
        for path, text in {**texts, **files}.items():
            info = tarfile.TarInfo(path)
            info.size, info.mode = len(text), 0o755 if path.startswith("bin/") else 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
        for path, to in links.items():
            info = tarfile.TarInfo(path)
            info.type, info.linkname = tarfile.SYMTYPE, to
            tar.addfile(info)
    data = file.read_bytes()
    record = dict(index, md5=hashlib.md5(data).hexdigest(), sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    known = file.parent / "repodata.json"
    repository = json.loads(known.read_text()) if known.exists() else {"info": {"subdir": subdir}, "packages": {}, "packages.conda": {}}
    repository["packages"][file.name] = record
    known.write_text(json.dumps(repository))


links = {"bin/python": os.path.join(HOME, "python" + VERSION), "bin/python3": "python", "bin/python" + VERSION: "python"}
package(HERE, "python", VERSION + ".0", files={"pyvenv.cfg": "home = %s\ninclude-system-site-packages = false\n" % HOME}, links=links)
for version in ("1.0", "2.0"):
    info = "site-packages/tiny-%s.dist-info/" % version
    files = {
        "site-packages/tiny.py": 'VERSION = "%s"\n\n\ndef main():\n    print("the program of tiny %s")\n' % (version, version),
        info + "METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: %s\n" % version,
        info + "RECORD": "tiny.py,,\n" + info[len("site-packages/"):] + "METADATA,,\n" + info[len("site-packages/"):] + "RECORD,,\n",
    }
    package("noarch", "tiny", version, ["python"], files, noarch="python")
script = {"etc/conda/activate.d/tool.sh": "export TOOL_HOME=$CONDA_PREFIX/tool\n"}
package(HERE, "tool", "1.0", ["tiny >=1"], {"bin/tool": "#!/bin/sh\necho tool in %s\n" % PLACE, **script})
package("linux-s390x", "far", "1.0")
