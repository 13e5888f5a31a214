"""Whether environments are as in_pod.py has built them. Made by kml.

    python3 -I -S verify.py STORE  # compares every file of all environments; exit code 1 if one is damaged

in_pod.py compares sizes and times of the files each time that a job starts, for at most SECONDS, and the contents of those that differ. With
STORE, all contents are compared, and a mark beside a damaged environment makes the next job install it again.
"""

import glob
import hashlib
import json
import os
import re
import stat
import sys
import time

FACTS = "kml-environment.json"
FILES = "kml-environment.sha256"  # as sha256sum writes it
TIMES = "kml-environment.times"  # the digest of FILES, then the size and time of each of its files
OWN = (FACTS, FILES, TIMES)
LAST = "end"
SECONDS = 0.25  # the longest comparison of times at the start of a job
STEP = 256


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def write_times(folder, names, file_name=TIMES):
    """Call it after the last change of the files."""
    lines = [digest_of(os.path.join(folder, FILES))]
    for name in names:
        info = os.lstat(os.path.join(folder, name))
        lines.append("%d %d %s" % (info.st_size, info.st_mtime_ns, name))
    with open(os.path.join(folder, file_name), "w", errors="surrogateescape") as file:
        file.write("\n".join(lines + [LAST]) + "\n")


def refresh_times(folder, names):
    """Notes other times of unchanged files, so that their contents need not be compared again."""
    new = "%s-%d" % (TIMES, os.getpid())
    try:
        os.chmod(folder, 0o755)
        write_times(folder, names, new)
        os.rename(os.path.join(folder, new), os.path.join(folder, TIMES))
        os.chmod(folder, 0o555)
    except OSError:
        pass  # other processes do the same, or the store is read-only


def lines_of(path):
    with open(path, errors="surrogateescape") as file:
        return file.read().split("\n")[:-1]


def times_in(folder):
    """The sizes, times and names of the files; None if the file with them is missing or damaged."""
    try:
        lines = lines_of(os.path.join(folder, TIMES))
        if len(lines) < 2 or lines[-1] != LAST or lines[0] != digest_of(os.path.join(folder, FILES)):
            return None
        found = []
        for line in lines[1:-1]:
            size, changed, name = line.split(" ", 2)
            found.append((int(size), int(changed), name))
        return found
    except (OSError, ValueError):
        return None


def digests_in(folder):
    digests = {}
    for line in lines_of(os.path.join(folder, FILES)):
        digest, name = line.split("  ", 1)
        digests[name] = digest
    return digests


def fault_of_file(path, owner, digest):
    """What is wrong with the file; empty if its content is right."""
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return "is not a file"
        if info.st_uid != owner:
            return "belongs to another user"
        return "" if digest_of(path) == digest else "has changed"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return "cannot be read: " + error.strerror


def differing(folder, owner, times, seconds):
    """The names of files whose size, time or owner differs. Begins anywhere, because there may not be time for all: many
    processes that start together then compare different ones."""
    names = []
    begin = int.from_bytes(os.urandom(4), "big") % max(len(times), 1)
    end = time.monotonic() + seconds
    for number, (size, changed, name) in enumerate(times[begin:] + times[:begin]):
        if number % STEP == 0 and time.monotonic() > end:
            break
        try:
            info = os.lstat(folder + "/" + name)
            if info.st_size == size and info.st_mtime_ns == changed and info.st_uid == owner:
                continue
        except OSError:
            pass
        names.append(name)
    return names


def fault_of_links(folder, links):
    for name, target in links.items():
        try:
            if os.readlink(os.path.join(folder, name)) != target:
                return name + " has changed"
        except OSError:
            return name + " is missing"
    return ""


def changes_python(name):
    return name.endswith(".pth") or os.path.basename(name) in ("sitecustomize.py", "usercustomize.py")


def fault_of_new_files(folder, names):
    """New files are ignored, because programs of root may write into the environment, unless every start of Python runs them."""
    for site in glob.glob(os.path.join(glob.escape(folder), "lib", "python3*", "site-packages")):
        for name in os.listdir(site):
            path = os.path.relpath(os.path.join(site, name), folder)
            if changes_python(name) and path not in names and not os.path.islink(os.path.join(folder, path)):
                return path + " is not of its packages"
    return ""


def fault_of_contents(folder, owner, names, digests):
    for name in names:
        fault = fault_of_file(os.path.join(folder, name), owner, digests[name])
        if fault:
            return name + " " + fault
    return ""


def fault_of(folder, record, seconds=SECONDS):
    """What is wrong with the environment; empty if nothing is found. Without a limit of time, compares all contents."""
    try:
        owner = os.lstat(folder).st_uid
        for name in (FACTS, FILES):
            if os.lstat(os.path.join(folder, name)).st_uid != owner:
                return name + " belongs to another user"
        if os.path.getsize(os.path.join(folder, FILES)) != record["filesSize"]:
            return FILES + " has changed"
        times = times_in(folder) if seconds else None
        digests = None if times else digests_in(folder)
        names = {name for _, _, name in times} if times else digests
        suspects = differing(folder, owner, times, seconds) if times else digests
        if suspects:
            fault = fault_of_contents(folder, owner, suspects, digests or digests_in(folder))
            if fault:
                return fault
            refresh_times(folder, sorted(names))
        return fault_of_links(folder, record["links"]) or fault_of_new_files(folder, names)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return "its list of files cannot be read: %s" % error


def mark_of(store, name):
    """The file that says that an environment is damaged, although the next comparison of times may not find that."""
    return "%s/.%s.damaged" % (store, name)


def identity(folder):
    """What differs in an environment that replaces this one."""
    return "%d %d\n" % (os.lstat(folder).st_ino, os.lstat(os.path.join(folder, FACTS)).st_mtime_ns)


def mark(folder):
    with open(mark_of(*os.path.split(folder)), "w") as file:
        file.write(identity(folder))


def is_marked(folder):
    try:
        with open(mark_of(*os.path.split(folder))) as file:
            return file.read() == identity(folder)
    except OSError:
        return False


def is_environment(name):
    """Other folders of the store may be data that `kml submit --data` keeps, or the user's own files."""
    return re.match("[0-9a-f]{32}$", name) is not None


def printable(text):
    return "".join(c if c.isprintable() else "?" for c in text)


def verify(store):
    damaged = 0
    for name in sorted(os.listdir(store)) if os.path.isdir(store) else []:
        folder = os.path.join(store, name)
        if not is_environment(name) or not os.path.isdir(folder):
            continue
        try:
            with open(os.path.join(folder, FACTS)) as file:
                record = json.load(file)
            fault = fault_of(folder, record, 0)
        except (OSError, ValueError) as error:
            fault = "its description cannot be read: %s" % error
        if not fault:
            count = record["packages"]
            print("environment %s is unchanged, %d package%s" % (name[:12], count, "s" * (count != 1)))
            continue
        damaged += 1
        if os.path.exists(os.path.join(folder, FACTS)):
            mark(folder)
        print("environment %s is damaged: %s; the next job installs it again" % (name[:12], printable(fault)))
    return 1 if damaged else 0


if __name__ == "__main__":
    try:
        sys.exit(verify(sys.argv[1]))
    except OSError as error:
        print("%s: %s" % (error.filename, error.strerror))
        sys.exit(2)
