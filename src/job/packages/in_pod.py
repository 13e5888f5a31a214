"""Runs in a job's pod before the command. Made by kml for --uv, --requirements and --conda, and for compiled pipelines.

    python3 -I -S in_pod.py STORE IMAGE COMMAND...
    python3 -I -S in_pod.py --tidy STORE SECONDS     # deletes environments that were not used for SECONDS
    python3 -I -S in_pod.py --list STORE             # prints the environments as JSON

Installs the packages of the file `lock` beside this file into the environment STORE/ID, unless that is usable, and runs the
command with STORE/ID/bin first in PATH. ID is the digest of all that determines the environment, see facts_of().

One process builds an environment, in a folder beside it, which it renames in the end. It holds a lock, which ends with it,
so a killed builder only leaves files that the next builder removes. The others wait for the rename. A damaged
environment is exchanged for a new one, and stays under another name while jobs use it.

Each use holds a shared lock on STORE/.ID.used, so that `kml env gc` keeps the environment.
"""

import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import types

FOLDER = os.path.dirname(os.path.abspath(globals().get("__file__", "-")))  # --tidy and --list run it as `python3 -c`
FAILED = 125  # as kml-step's own failures
DESCRIPTION = "kml-environment.json"  # also in verify.py, which --tidy and --list do not have
MESSAGE = "/dev/termination-log"
# errors of a file system without locks: each process then builds its own environment, and the first rename wins
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


def say(text):
    sys.stderr.write("kml: " + text + "\n")
    sys.stderr.flush()


def give_up(what, why="", fix=""):
    lines = [what] + ["  why: " + why] * bool(why) + ["  fix: " + fix] * bool(fix)
    say("\n".join(lines))
    try:
        with open(MESSAGE, "w") as message:  # `kml why` prints it
            message.write(what + (": " + why if why else ""))
    except OSError:
        pass
    sys.exit(FAILED)


def read(name):
    with open(os.path.join(FOLDER, name)) as file:
        return file.read()


def program(name):
    """The program beside this one as a module. With -I, Python does not import it."""
    module = types.ModuleType(name)
    exec(compile(read(name + ".py"), name + ".py", "exec"), module.__dict__)
    return module


def is_conda():
    """Whether the lock has conda packages (conda_lock.cc)."""
    return read("lock").startswith("# kml: conda")


def is_script():
    """Whether the lock is a script that installs packages (script_environment.cc)."""
    return read("lock").startswith("# kml: script")


def marked(mark):
    """The requirements file in the lock's comments with this mark."""
    return "".join(line[len(mark) :] + "\n" for line in read("lock").splitlines() if line.startswith(mark))


def libc():
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    except (ValueError, OSError):
        return "musl"


def system():
    """What identifies the system in the image, whose tag may move: the list of its packages."""
    for path in ("/var/lib/dpkg/status", "/lib/apk/db/installed", "/var/lib/rpm/rpmdb.sqlite", "/etc/os-release"):
        try:
            return digest_of(path)
        except OSError:
            pass
    return "unknown"


def facts_of(image, settings):
    facts = {
        "lock": hashlib.sha256(read("lock").encode()).hexdigest(),
        "image": image,
        "processor": os.uname().machine,
        "libc": libc(),
        "python": sys.version,
        "interpreter": os.path.realpath(sys.executable),
        "uv": settings["uv"],
        "user": os.geteuid(),
    }
    if is_script():  # the packages of this Python can be imported
        facts["caller"] = sys.executable
    elif not settings["uvPath"]:  # on this machine, it changes with every unrelated package
        facts["system"] = system()
    return facts


def id_of(facts):
    digits = 32
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:digits]


def short_version():
    return "%d.%d.%d" % sys.version_info[:3]


def numbers(version):
    return [int(part) for part in version.strip().split(".") if part.isdigit()]


def fits(clause, own=None):
    """Whether a Python, by default this one, fits a clause of requires-python, such as ">=3.9" or "==3.11.*" (PEP 440)."""
    sign = clause.strip()[: len(clause.strip()) - len(clause.strip().lstrip("<>=!~"))]
    wanted = numbers(clause.strip()[len(sign) :])
    own = own or list(sys.version_info[:3])
    is_prefix = clause.strip().endswith(".*")
    first = own[: len(wanted)]
    if sign == "~=":
        return own >= wanted and own[: len(wanted) - 1] == wanted[:-1]
    if is_prefix or sign in ("==", "===", "!="):
        same = first == wanted if is_prefix else own == (wanted + [0, 0])[:3]
        return same != (sign == "!=")
    wanted = (wanted + [0, 0])[:3]
    return {">=": own >= wanted, "<=": own <= wanted, ">": own > wanted, "<": own < wanted}.get(sign, True)


def fitting_image(clauses):
    """The tag of a Python image that fits all clauses: of a version that they name, or of one beside it. Empty if kml
    knows none. "3.12" is the tag of the last 3.12.N."""
    named = [numbers(clause.strip().lstrip("<>=!~")) for clause in clauses]
    candidates = [(version, version) for version in named if len(version) > 2]
    for shift in (0, -1, 1):
        for version in named:
            tag = version[:2]
            if tag and tag[-1] + shift >= 0:
                tag = tag[:-1] + [tag[-1] + shift]
                candidates.append((tag, (tag + [99, 99])[:3]))
    candidates += [((version + [0, 0])[:3],) * 2 for version in named if version]  # as in ==3.12
    for tag, own in candidates:
        if all(fits(clause, own[:3]) for clause in clauses):
            return ".".join(map(str, tag))
    return ""


def require_python(settings):
    wanted = [clause for clause in settings["requires"].split(",") if clause.strip()]
    if all(fits(clause) for clause in wanted):
        return
    tag = fitting_image(wanted)
    give_up(
        "Python %s does not fit %s" % (short_version(), settings["requires"]),
        "%s, and the image has %s" % ("the installer of conda packages needs it" if is_conda() else settings["source"] + " asks for it", sys.executable),
        "use an image with such a Python" + (": --image python:" + tag if tag else ""),
    )


def belongs_here(path):
    """Whether this user made it. A file server may give the user another number, which a new file then also has."""
    owner = os.lstat(path).st_uid
    if owner == os.geteuid():
        return True
    sample = "%s/.owner-%d-%d" % (os.path.dirname(path), os.getpid(), int(time.time() * 1000))
    at = os.open(sample, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(sample)
    is_same = os.fstat(at).st_uid == owner
    os.close(at)
    return is_same


class Environment:
    def __init__(self, path, facts):
        self.path = path
        self.facts = facts
        self.verifier = None
        self.damaged = None  # the inode of the folder in which a fault was found

    def fault(self):
        """Why it cannot be used; empty if this user has completed it for these facts, and no change is found."""
        path = self.path
        if not os.path.lexists(path):
            return "it does not exist"
        folder = os.lstat(path)
        if not stat.S_ISDIR(folder.st_mode) or not belongs_here(path):
            return "it is not a folder of this user"
        if self.verifier is None:
            self.verifier = program("verify")
        if self.verifier.is_marked(path):
            return "`kml env verify` found a fault"
        try:
            with open(os.path.join(path, self.verifier.FACTS)) as file:
                record = json.load(file)
            if record["facts"] != self.facts:
                return "it is of other packages"
        except (OSError, ValueError, KeyError, TypeError):
            return "its description is missing"
        if not is_conda() and not os.access(os.path.join(path, "bin", "python"), os.X_OK):
            return "its Python is missing"
        if lacks_packages(record):
            return "its packages are missing"
        return self.verifier.fault_of(path, record)

    def is_usable(self):
        """Looks for faults only once, because this is asked again while another process builds."""
        try:
            now = os.lstat(self.path).st_ino
        except OSError:
            return False
        if now == self.damaged:
            return False
        try:
            fault = self.fault()
        except OSError as error:
            fault = str(error)
        if not fault:
            return True
        self.damaged = now
        if is_first_rank():
            say("environment %s cannot be used: %s" % (os.path.basename(self.path)[:12], self.verifier.printable(fault) if self.verifier else fault))
        return False


def remove(path):
    def again(function, inner, _):
        # folders of an environment are read-only
        os.chmod(os.path.dirname(inner), 0o700)
        if os.path.isdir(inner) and not os.path.islink(inner):
            os.chmod(inner, 0o700)
        function(inner)

    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
    else:
        shutil.rmtree(path, onerror=again)


def run(words, env=None):
    """Runs a program whose output goes to the log. Returns its exit code and the end of its output."""
    env = dict(os.environ, **(env or {}))
    kept = 20
    lines = []
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    for line in iter(process.stdout.readline, b""):
        text = line.decode(errors="replace").rstrip()
        sys.stderr.write(text + "\n")
        lines = (lines + [text])[-kept:]
    sys.stderr.flush()
    return process.wait(), lines


def uv_call(uv, how, settings, store):
    """The words that make uv install packages into a Python, and their variables."""
    words = [uv, "pip"] + how + ["--quiet", "--require-hashes", "--compile-bytecode", "--color", "never"]
    own = os.path.join(FOLDER, "uv.toml")
    words += ["--config-file", own] if os.path.exists(own) else ["--no-config"]
    words += ["--no-build"] if settings["noBuild"] else []
    words += ["--no-cache"] if settings.get("noCache") else []
    variables = dict(settings["variables"], UV_PYTHON_DOWNLOADS="never", UV_LINK_MODE="copy")
    if not settings["uvPath"]:  # no other program uses this cache, so its files may be shared
        variables.update(UV_LINK_MODE="hardlink", UV_CACHE_DIR="%s/.cache-%d" % (store, os.geteuid()))
    variables.update((name, value) for name, value in os.environ.items() if name.startswith("UV_"))
    return words, variables


def install_by_uv(uv, folder, lock, settings):
    # the packages of conda stay
    how = ["install", "--no-deps", "-r"] if os.path.exists(os.path.join(folder, "conda-meta")) else ["sync"]
    words, variables = uv_call(uv, how[:1], settings, os.path.dirname(folder))
    return run(words + how[1:] + [lock, "--python", os.path.join(folder, "bin", "python")], variables)


def with_password(name, url, variables):
    """The URL of an index with the password that uv finds in variables."""
    prefix = "UV_INDEX_%s_" % "".join(c if c.isalnum() else "_" for c in name.upper())
    user, password = variables.get(prefix + "USERNAME", ""), variables.get(prefix + "PASSWORD", "")
    scheme, found, rest = url.partition("://")
    if not found or not (user or password) or "@" in rest.split("/")[0]:
        return url
    import urllib.parse

    return "%s://%s:%s@%s" % (scheme, urllib.parse.quote(user, ""), urllib.parse.quote(password, ""), rest)


def indexes_for_pip(value, variables):
    """uv's list of indexes, some of them as NAME=URL, in the form for pip."""
    words = []
    for word in value.replace(",", " ").split():
        name, found, url = word.partition("=")
        is_named = found and not set(name) & set(":/")
        words.append(with_password(name, url, variables) if is_named else word)
    return " ".join(words)


def install_by_pip(pip, folder, lock, settings):
    # pip installs into the environment whose Python runs it, and must see no other packages of the image
    alone = os.path.join(folder, ".pip")
    os.mkdir(alone)
    os.symlink(pip, os.path.join(alone, "pip"))
    words = [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--no-deps", "--require-hashes"]
    words += ["--quiet", "--no-input", "--no-cache-dir", "--disable-pip-version-check", "--no-warn-script-location"]
    words += ["--only-binary", ":all:"] if settings["noBuild"] else []
    variables = {"PYTHONPATH": alone, "PIP_ROOT_USER_ACTION": "ignore", "PYTHONDONTWRITEBYTECODE": ""}
    known = dict(settings["variables"], **os.environ)
    for of_pip, of_uv in (("INDEX_URL", "DEFAULT_INDEX"), ("EXTRA_INDEX_URL", "INDEX"), ("FIND_LINKS",) * 2, ("NO_INDEX", "OFFLINE")):
        if known.get("UV_" + of_uv) and "PIP_" + of_pip not in os.environ:
            variables["PIP_" + of_pip] = indexes_for_pip(known["UV_" + of_uv], known)
    result = run(words + ["-r", lock], variables)
    shutil.rmtree(alone)
    return result


def install(folder, lock, settings):
    """Installs the packages of a requirements file into the environment in the folder."""
    uv = settings["uvPath"] or shutil.which("uv")
    if uv:
        return install_by_uv(uv, folder, lock, settings)
    find = "import os, pip; print(os.path.dirname(pip.__file__))"
    found = subprocess.run([sys.executable, "-I", "-c", find], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if found.returncode != 0:
        remove(folder)
        give_up(
            "no program to install packages",
            "the image has neither uv nor pip",
            "use an image with one of them, such as python:3",
        )
    return install_by_pip(found.stdout.decode().strip(), folder, lock, settings)


def make_virtual_environment(folder):
    base = [sys.executable, "-I", "-m", "venv", "--without-pip", folder]
    code, lines = run(base)
    if code != 0:
        fix = fix_for_full(json.loads(read("settings"))) if is_full(lines) else ""
        give_up("cannot create a virtual environment", "%s: %s" % (" ".join(base), " ".join(lines[-1:])), fix)


def install_marked(folder, mark, settings):
    path = folder + "-requirements"
    with open(path, "w") as file:
        file.write(marked(mark))
    result = install(folder, path, settings)
    os.unlink(path)
    return result


def install_conda(folder, final, settings, is_repair):
    """Installs the conda packages by py-rattler, in an environment that is deleted afterwards, and then those for pip."""
    tools = folder + "-tools"
    make_virtual_environment(tools)
    code, lines = install_marked(tools, "#installer ", settings)
    if code == 0:
        # on this machine, other programs use the cache, and may change its files
        cache, how = ("", "copy") if settings["uvPath"] or is_repair else ("%s/.conda-%d" % (os.path.dirname(final), os.geteuid()), "share")
        words = [os.path.join(tools, "bin", "python"), "-I", os.path.join(FOLDER, "conda.py"), "install"]
        code, lines = run(words + [os.path.join(FOLDER, "lock"), folder, final, cache, how], settings["variables"])
    remove(tools)
    if code == 0 and marked("#pip "):
        code, lines = install_marked(folder, "#pip ", settings)
    for site in glob.glob(os.path.join(glob.escape(folder), "lib", "python3*", "site-packages")):
        words = [os.path.join(folder, "bin", "python"), "-I", "-m", "compileall", "-q", "-j", "0", "-s", folder, "-p", final]
        subprocess.call(words + [site], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return code, lines


def move_scripts(folder, final):
    """Replaces the folder's name in its scripts: the environment is used under its final name."""
    for path in glob.glob(os.path.join(folder, "bin", "*")) + [os.path.join(folder, "pyvenv.cfg")]:
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            text = file.read()
        changed = text.replace(folder.encode(), final.encode())
        if changed != text and b"\0" not in text:
            with open(path, "wb") as file:
                file.write(changed)


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def sync(folder):
    """Waits for the disk, so that no file of a complete environment is empty after a power cut."""
    at = os.open(folder, os.O_RDONLY)
    try:
        import ctypes

        ctypes.CDLL(None).syncfs(at)
    except (ImportError, AttributeError, OSError):
        os.sync()
    os.close(at)


def digests_and_links(folder):
    digests, links = {}, {}
    for at, folders, files in os.walk(folder):
        for name in sorted(folders + files):
            path = os.path.join(at, name)
            if os.path.islink(path):
                links[os.path.relpath(path, folder)] = os.readlink(path)
            elif name in files:
                digests[os.path.relpath(path, folder)] = digest_of(path)
    return digests, links


def differing_packages(folder, digests):
    """The packages with files that differ from those in the wheels: a cache may have damaged copies."""
    import base64
    import csv

    found = set()
    for record in glob.glob(os.path.join(glob.escape(folder), "lib", "python3*", "site-packages", "*.dist-info", "RECORD")):
        info = os.path.dirname(record)
        site = os.path.relpath(os.path.dirname(info), folder)
        with open(record, newline="", errors="surrogateescape") as file:
            rows = [row for row in csv.reader(file) if len(row) > 1 and row[1].startswith("sha256=")]
        for row in rows:
            name = os.path.normpath(os.path.join(site, row[0]))
            if not name.startswith(site + os.sep) or row[0].endswith("/RECORD"):
                continue  # programs get other first lines
            wanted = base64.urlsafe_b64decode(row[1].split("=", 1)[1] + "==").hex()
            if digests.get(name) != wanted:
                found.add(os.path.basename(info).split("-")[0])
    return sorted(found)


def seal(folder, facts, began, digests, links):
    """Writes the manifest, and makes the files read-only, because all jobs with these packages share them."""
    verifier = program("verify")
    names = sorted(digests)
    with open(os.path.join(folder, verifier.FILES), "w", errors="surrogateescape") as file:
        file.writelines("%s  %s\n" % (digests[name], name) for name in names)
    versions = installed(folder)
    record = {
        "facts": facts,
        "filesSize": os.path.getsize(os.path.join(folder, verifier.FILES)),
        "links": links,
        "bytes": sum(os.lstat(os.path.join(folder, name)).st_size for name in names),
        "packages": len(packages() if is_conda() else versions),
        "versions": versions,
        "seconds": round(time.time() - began, 1),
    }
    verifier.write_times(folder, names)
    with open(os.path.join(folder, verifier.FACTS), "w") as file:
        json.dump(record, file, sort_keys=True)
    for at, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = os.path.join(at, name)
            if not os.path.islink(path):
                os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) & ~0o222)
        os.chmod(at, 0o555)
    sync(folder)


def installed(folder):
    """The names and versions of the Python packages in the environment."""
    infos = glob.glob(os.path.join(glob.escape(site_of(folder)), "*.dist-info")) if site_of(folder) else []
    parts = [os.path.basename(info)[: -len(".dist-info")].rpartition("-") for info in infos]
    return {name: version for name, _, version in sorted(parts)}


def conda_packages():
    return [line for line in read("lock").splitlines() if line.startswith("- conda: ")] if is_conda() else []


def requirements():
    """The lines of the lock for packages that uv or pip installs: "numpy==2.1.0 ; MARKER", or "tiny @ URL"."""
    lock = marked("#pip ") if is_conda() else read("lock")
    return [line for line in lock.splitlines() if line.strip() and not line.startswith((" ", "#", "-"))]


def packages():
    """The packages of the lock. Some may be for other Pythons."""
    return conda_packages() + sorted({re.split(r"[\s=@;\[]", line, maxsplit=1)[0] for line in requirements()})


def counted_packages(count):
    return "%d package%s" % (count, "s" * (count != 1))


def lacks_packages(record):
    """Whether an early kml made the environment, which installed nothing if all packages were at URLs."""
    is_needed = not is_conda() and not is_script() and any(" ; " not in line for line in requirements())
    return is_needed and record.get("versions") == {}


def described_packages(settings):
    if is_script():
        return "the packages of the component"
    if any(" ; " in line for line in requirements()):  # uv or pip decides which of them this Python needs
        return "the packages of " + settings["source"]
    return counted_packages(len(packages()))


def require_conda_works(facts):
    """Gives up unless this processor and libc are those of the packages."""
    of_lock = [line.split(": ")[1] for line in read("lock").splitlines() if line.startswith("- name: ")][0]
    own = "linux-" + {"x86_64": "64"}.get(facts["processor"], facts["processor"])
    if own != of_lock:
        kubernetes = {"linux-64": "amd64", "linux-aarch64": "arm64"}
        give_up(
            "the packages of %s are for %s" % (json.loads(read("settings"))["source"], of_lock),
            "the processor of this node is %s" % facts["processor"],
            "--node-selector kubernetes.io/arch=" + kubernetes.get(own, facts["processor"]),
        )
    if facts["libc"] == "musl":
        give_up("conda packages need glibc", "the image has musl", "use an image of Debian, such as python:3-slim")


def reason(lines):
    """What uv or pip says is wrong, and the last of its causes."""
    told = [line.strip() for line in lines if line.strip()]
    errors = [line.split(":", 1)[1].strip() for line in told if line.lower().startswith("error:")]
    causes = [line.split(":", 1)[1].strip() for line in told if line.lower().startswith(("cause:", "caused by:"))]
    return ": ".join(errors[:1] + causes[-1:]) or "".join(told[-1:])


def is_full(lines):
    return any(os.strerror(code) in line for line in lines for code in (errno.ENOSPC, errno.EDQUOT))


def fix_for_full(settings):
    if settings["uvPath"] or is_script():
        return "free space, for example of environments that jobs no longer use: kml env gc"
    if settings.get("store"):
        return "free space on the claim: kml env gc --env-store " + settings["store"]
    return "the node has no space for the packages: --env-store pvc/NAME installs them on a claim"


CALLERS_PACKAGES = r"""import pathlib, sys
lines = [f"import site; site.addsitedir({path!r})\n" for path in sys.path if path.endswith("-packages")]
(pathlib.Path(sys.argv[1]) / "packages_of_caller.pth").write_text("".join(lines))
"""


def site_of(folder):
    return "".join(glob.glob(os.path.join(glob.escape(folder), "lib", "python3*", "site-packages"))[:1])


def fill_by_script(folder):
    """The packages of the Python that runs this come last in the path."""
    code, lines = run([sys.executable, "-m", "venv", folder])
    if code == 0:
        variables = {"VIRTUAL_ENV": folder, "PATH": os.path.join(folder, "bin") + ":" + os.environ.get("PATH", os.defpath)}
        code, lines = run(["sh", "-c", read("lock"), "true"], variables)
    if code == 0:
        code, lines = run([sys.executable, "-c", CALLERS_PACKAGES, site_of(folder)])
    return code, lines


def fill(folder, final, settings, is_repair):
    if is_script():
        return fill_by_script(folder)
    if is_conda():
        return install_conda(folder, final, settings, is_repair)
    make_virtual_environment(folder)
    return install(folder, os.path.join(FOLDER, "lock"), settings) if packages() else (0, [])


def fill_again(folder, final, settings, names):
    """Installs the packages without the cache, whose copies differ from the wheels."""
    say("the cache has other files of %s than their wheels; installing without it" % ", ".join(names))
    remove(folder)
    return fill(folder, final, dict(settings, noCache=True), True)


def fill_or_give_up(folder, final, facts, settings, how):
    code, lines = how()
    if code == 0:
        return
    if os.path.lexists(folder):
        remove(folder)
    details = "the lines above have the details; processor %s, %s, Python %s" % (facts["processor"], facts["libc"], short_version())
    why = reason(lines) or "the installer ended with exit code %d" % code
    give_up("cannot install the packages of " + settings["source"], why, fix_for_full(settings) if is_full(lines) else details)


def exchange(folder, final):
    """Exchanges the names of two folders, so that a running job never misses a file. Returns whether that worked."""
    try:
        import ctypes

        at, exchanges = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
        return ctypes.CDLL(None).renameat2(at, folder.encode(), at, final.encode(), exchanges) == 0
    except (ImportError, AttributeError, OSError):
        return False


def replace(folder, final, used):
    """Puts the new environment in the place of a damaged one, or of one that belongs to someone else."""
    old = "%s/.damaged-%s-%d-%d" % (os.path.dirname(final), os.path.basename(final), os.getpid(), int(time.time() * 1000))
    try:
        if exchange(folder, final):
            os.rename(folder, old)
        else:
            os.rename(final, old)
            os.rename(folder, final)
    except OSError as error:
        give_up("cannot replace " + final, str(error), "delete it: it is not a complete environment of this user")
    mark = program("verify").mark_of(*os.path.split(final))
    if os.path.lexists(mark):  # the mark is about the old environment
        os.unlink(mark)
    remove_unless_used(old, used)


def remove_unless_used(old, used):
    """Running jobs may still read the files of the damaged environment; `kml env gc` removes it later."""
    if used is None:
        return
    try:
        fcntl.flock(used, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(old)
    except OSError:
        pass
    fcntl.flock(used, fcntl.LOCK_SH)


def build(environment, settings, used):
    final, facts = environment.path, environment.facts
    began = time.time()
    folder = "%s/.building-%s-%d-%d" % (os.path.dirname(final), os.path.basename(final), os.getpid(), int(began * 1000))
    told = "with conda" if is_conda() else "for Python " + short_version()
    say("installing %s %s" % (described_packages(settings), told))
    is_repair = os.path.lexists(final)
    fill_or_give_up(folder, final, facts, settings, lambda: fill(folder, final, settings, is_repair))
    move_scripts(folder, final)
    digests, links = digests_and_links(folder)
    names = [] if is_conda() or is_script() else differing_packages(folder, digests)
    if names:
        fill_or_give_up(folder, final, facts, settings, lambda: fill_again(folder, final, settings, names))
        move_scripts(folder, final)
        digests, links = digests_and_links(folder)
    seal(folder, facts, began, digests, links)
    if os.path.lexists(final):
        replace(folder, final, used)
    else:
        try:
            os.rename(folder, final)
        except OSError:
            if not environment.is_usable():  # without locks, another builder may have been faster
                raise
            remove(folder)
    say("installed in %.1f s" % (time.time() - began))


def python_of(final):
    """The version of the environment's Python; of a conda environment without one, the image's."""
    names = glob.glob(os.path.join(glob.escape(final), "conda-meta", "python-[0-9]*.json"))
    return os.path.basename(names[0]).split("-")[1] if names else short_version()


def modules_in(folder):
    """The names by which Python could import something from the folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    endings = (".py", ".so")
    modules = [name.split(".")[0] for name in names if name.endswith(endings) or os.path.isdir(os.path.join(folder, name))]
    return {name for name in modules if name.isidentifier() and name != "__pycache__"}


def warn_of_other_modules(final, settings):
    """PYTHONPATH precedes the environment, as it does with `uv run`, but most users forget that they have set it."""
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(":") if folder.startswith("/")]
    if not folders:
        return
    own = set().union(*map(modules_in, glob.glob(os.path.join(glob.escape(final), "lib", "python3*", "site-packages"))))
    for folder in folders:
        others = sorted(own & modules_in(folder))
        if others and not folder.startswith(final):
            names = ", ".join(others[:5]) + ", ..." * (len(others) > 5) + (" is" if len(others) == 1 else " are")
            say("PYTHONPATH has %s, so %s imported from there, not from the packages of %s; --env PYTHONPATH= prevents this" % (folder, names, settings["source"]))


def run_activated(final, command):
    """Replaces this process by the command in the environment, as `conda activate` prepares it."""
    os.environ["PATH"] = os.path.join(final, "bin") + ":" + os.environ.get("PATH", os.defpath)
    os.environ["CONDA_PREFIX" if is_conda() else "VIRTUAL_ENV"] = final
    os.environ.pop("PYTHONHOME", None)
    scripts = sorted(glob.glob(os.path.join(glob.escape(final), "etc", "conda", "activate.d", "*.sh")))
    if scripts:
        shell = shutil.which("bash") or "sh"
        command = [shell, "-c", 'n=$1; shift; while [ "$n" -gt 0 ]; do . "$1"; shift; n=$((n-1)); done; exec "$@"', shell] + [str(len(scripts))] + scripts + command
    os.execvp(command[0], command)


def remove_abandoned(final):
    for folder in glob.glob("%s/.building-%s-*" % (glob.escape(os.path.dirname(final)), os.path.basename(final))):
        try:
            remove(folder)
        except OSError:
            pass


def wait_for_turn(lock, environment):
    """Waits until the environment is there, or this process has the lock, or there are no locks. Returns whether it has the lock."""
    pause, is_told = 0.05, False
    while not environment.is_usable():
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno in WITHOUT_LOCKS:
                return False
        if not is_told:
            say("waiting for another process that installs the same packages")
        is_told = True
        time.sleep(pause)
        pause = min(pause * 1.5, 1)
    return False


def provide(environment, settings, used):
    if environment.is_usable():
        return
    lock = os.open("%s/.%s.lock" % os.path.split(environment.path), os.O_RDWR | os.O_CREAT, 0o600)
    has_lock = wait_for_turn(lock, environment)
    if not environment.is_usable():
        if has_lock:
            remove_abandoned(environment.path)
        build(environment, settings, used)
    os.close(lock)


def hold(store, name):
    """Marks the environment as used for as long as the command, or a process that it leaves behind, runs."""
    try:
        used = os.open("%s/.%s.used" % (store, name), os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(used, fcntl.LOCK_SH)
        os.set_inheritable(used, True)
        os.utime(used)
        return used
    except OSError:
        return None  # a store without locks has no `kml env gc`


def lock_now(path):
    """The lock, if no other process holds it."""
    at = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return at
    except OSError:
        os.close(at)
        return None


def is_environment(store, name):
    return re.match("[0-9a-f]{32}$", name) and os.path.exists(os.path.join(store, name, DESCRIPTION))


def has_user(path):
    """Whether a job holds the lock, see hold()."""
    try:
        at = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError as error:
        return error.errno not in WITHOUT_LOCKS
    finally:
        os.close(at)


def described(store, name):
    with open(os.path.join(store, name, DESCRIPTION)) as file:
        record = json.load(file)
    used = "%s/.%s.used" % (store, name)
    return {
        "id": name,
        "python": record["facts"]["python"].split()[0],
        "lock": record["facts"]["lock"],
        "packages": record["packages"],
        "bytes": record["bytes"],
        "versions": record.get("versions", {}),
        "used": int(os.stat(used if os.path.exists(used) else os.path.join(store, name)).st_mtime),
        "inUse": has_user(used),
    }


def list_environments(store):
    found = []
    for name in filter(lambda each: is_environment(store, each), sorted(os.listdir(store))):
        try:
            found.append(described(store, name))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            say("cannot read %s: %s" % (name, error))
    print(json.dumps(found))


def remove_unused(store, name, seconds):
    """Deletes an environment, unless a job uses it or started in it less than `seconds` ago. Returns how many bytes were deleted."""
    with open(os.path.join(store, name, DESCRIPTION)) as file:
        record = json.load(file)
    used = lock_now("%s/.%s.used" % (store, name))
    if used is None:
        return 0
    if time.time() - os.fstat(used).st_mtime < seconds:
        os.close(used)
        return 0
    away = "%s/.building-%s-removed" % (store, name)
    os.rename(os.path.join(store, name), away)  # no job finds a part of it
    remove(away)
    os.close(used)
    print("removed environment %s, %s" % (name[:12], counted_packages(record["packages"])))
    return record["bytes"]


def remove_unless_locked(store, name, kind):
    lock = lock_now("%s/.%s.%s" % (store, name.split("-")[1], kind))
    if lock is not None:
        remove(os.path.join(store, name))
        os.close(lock)


def tidy(store, seconds):
    freed = 0
    for name in sorted(os.listdir(store)):
        try:
            if name.startswith(".building-"):
                remove_unless_locked(store, name, "lock")
            elif name.startswith(".damaged-"):
                remove_unless_locked(store, name, "used")
            elif is_environment(store, name):
                freed += remove_unused(store, name, seconds)
        except (OSError, ValueError, KeyError, TypeError) as error:
            say("cannot delete %s: %s" % (name, error))
    print("%.1f MiB freed" % (freed / 2**20))


def is_first_rank():
    return all(os.environ.get(name, "0") == "0" for name in ("RANK", "JOB_COMPLETION_INDEX", "OMPI_COMM_WORLD_RANK"))


def end_by_signal(number, _):
    os._exit(128 + number)


def main():
    if sys.argv[1] == "--tidy":
        return tidy(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1] == "--list":
        return list_environments(sys.argv[2])
    store, image, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    # the first process of a container ignores signals that it does not handle
    signal.signal(signal.SIGTERM, end_by_signal)
    signal.signal(signal.SIGINT, end_by_signal)
    settings = json.loads(read("settings"))
    require_python(settings)
    facts = facts_of(image, settings)
    if is_conda():
        require_conda_works(facts)
    name = id_of(facts)
    final = os.path.join(store, name)
    try:
        os.makedirs(store, exist_ok=True)
        provide(Environment(final, facts), settings, hold(store, name))
    except OSError as error:
        fix = fix_for_full(settings) if is_full([str(error)]) else ""
        give_up("cannot write to the store of environments", "%s: %s" % (error.filename or store, error.strerror), fix)
    if is_first_rank():  # kml records this (packages::environment_in)
        say("environment %s, Python %s, %s, %s" % (name[:12], python_of(final), facts["processor"], facts["libc"]))
        warn_of_other_modules(final, settings)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores the last two, and so would the command
    os.environ["KML_ENVIRONMENT"] = name
    try:
        run_activated(final, command)
    except OSError as error:
        give_up("cannot run " + command[0], error.strerror)


if __name__ == "__main__":
    main()
