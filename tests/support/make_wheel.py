"""make_wheel.py FOLDER NAME VERSION [REQUIREMENT]...: writes a wheel for every Python, with a module and a program.

The variable TAG names another platform than any. BYTES adds a file of this size.
"""

import base64
import hashlib
import os
import sys
import zipfile

folder, name, version, *requirements = sys.argv[1:]
tag = os.environ.get("TAG", "py3-none-any")
info = "%s-%s.dist-info" % (name, version)
files = {
    name + ".py": 'VERSION = "%s"\n\n\ndef main():\n    print("the program of %s %s")\n' % (version, name, version),
    info + "/METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)
    + "".join("Requires-Dist: %s\n" % each for each in requirements),
    info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: %s\n" % tag,
    info + "/entry_points.txt": "[console_scripts]\n%s = %s:main\n" % (name, name),
}
if "BYTES" in os.environ:
    files[name + ".bin"] = "x" * int(os.environ["BYTES"])
record = ""
for path, text in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    record += "%s,sha256=%s,%d\n" % (path, digest, len(text))
with zipfile.ZipFile("%s/%s-%s-%s.whl" % (folder, name, version, tag), "w") as wheel:
    for path, text in {**files, info + "/RECORD": record + info + "/RECORD,,\n"}.items():
        wheel.writestr(zipfile.ZipInfo(path), text)
