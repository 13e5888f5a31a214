# Tests which edits make a recorded step run again. Each row is a step in a folder of its own, and one edit of this folder.
. "$(dirname "$0")/lib.sh"
[ "$(uname -s)" = Linux ] || exit 77
cat >edits.py <<'P'
import json, os, pathlib, subprocess, sys

KML, PART = sys.argv[1:]
OWN = "import os; own = os.path.dirname(os.path.abspath(__file__))\n"
NOTES = "echo x >notes.txt; echo x >run-2.log; echo x >explore.ipynb"
# Commands that only list a folder, and so learn which of its entries are files, folders or links.
KINDS = {
    "find -type f": "find d -type f", "find -type d": "find d -type d", "find -type l": "find d -type l",
    "ls -F": "ls -F d", "os.walk": "python3 -c 'import os; print(sorted(os.walk(\"d\")))'",
    "rglob": "python3 -c 'import pathlib; print(sorted(pathlib.Path(\"d\").rglob(\"*\")))'",
    "glob **": "python3 -c 'import glob; print(sorted(glob.glob(\"d/**\", recursive=True)))'",
}
KINDS.update({f"scandir {call}": f"python3 -c 'import os; print([each.{call}() for each in os.scandir(\"d\")])'"
              for call in ["is_file", "is_dir", "is_symlink"]})
FILE, FOLDER, LINK = "echo x >d/e", "mkdir d/e; touch d/e/new", "ln -s ../f d/e"
CHANGES = {"file to folder": (FILE, FOLDER), "folder to file": (FOLDER, FILE), "file to link": (FILE, LINK),
           "link to file": (LINK, FILE), "folder to link": (FOLDER, "ln -s ../g d/e"), "link to folder": (LINK, FOLDER)}
# Listings whose output does not differ after these changes.
SAME = [("find -type d", "file to link"), ("find -type d", "link to file"), ("find -type l", "file to folder"),
        ("find -type l", "folder to file")]


def table_of_kinds():
    for listing, command in KINDS.items():
        for change, (before, after) in CHANGES.items():
            if (listing, change) not in SAME:
                yield f"{listing}, {change}", f"mkdir d g; echo x >f; touch g/new; {before}", command, f"rm -r d/e; {after}", "RUN"
    yield "listing, other content", "mkdir d; echo x >d/e", "find d -type f", "echo other >d/e", "HIT"
    yield "listing, the same kind again", "mkdir d; echo x >d/e", "find d -type f", "rm d/e; echo other >d/e", "HIT"


def python(text, options="", before="", arguments="m.py"):
    """The setup and the command of a step that runs a script."""
    return f"cat >m.py <<'M'\n{text}\nM\necho x=1 >helper.py; echo x=2 >other.py; mkdir d; touch d/a.csv; {before}", \
        f"python3 {options} {arguments}"


def table_of_imports():
    only_imports = {
        "modules": python("import helper, wave, json"),
        "modules, without cached code": python("import helper, other, wave", "-B"),
        "a module that is missing": python("try:\n  import absent\nexcept ImportError: pass"),
        "a module, after a log was written": python("import helper; open('own.log', 'w').close(); import other, wave"),
        "a library, after a log was written": python("import helper; open('own.log', 'w').close(); import wave"),
        "a child, after a log was written": python("import os, helper; open('own.log', 'w').close()\n"
                                                   "if os.fork() == 0:\n  import other, wave\n  os._exit(0)\nos.wait()"),
        "packages": python("import pkg.sub.mod, space.mod", before="mkdir -p pkg/sub space; touch pkg/__init__.py "
                           "pkg/sub/__init__.py pkg/sub/mod.py space/mod.py"),
        "versions of packages": python("import importlib.metadata as m\ntry:\n  m.version('no-such-package')\n"
                                       "except m.PackageNotFoundError: print('none')"),
        "entry points": python("import helper\nfrom importlib.metadata import entry_points\nprint(len(entry_points()) > 99999)"),
        "PYTHONPATH": python("import inner, helper, wave", before="mkdir lib; touch lib/inner.py"),
        "-m": python("", arguments="-m helper"),
        "-c": python("", arguments="-c 'import helper, wave'"),
        "options": python("import helper, wave", "-W ignore -Xdev -u"),
        "a script in another folder": python("", before="mkdir s; mv helper.py s; echo 'import helper, wave' >s/t.py",
                                             arguments="s/t.py"),
        "another script": python("import subprocess, sys; subprocess.run([sys.executable, 't.py'], check=True)",
                                 before="echo 'import helper, wave' >t.py"),
        "spawned processes": python("import multiprocessing as mp, helper\nif __name__ == '__main__':\n"
                                    "  with mp.get_context('spawn').Pool(2) as pool: print(pool.map(abs, [1, -2]))"),
    }
    for what, (setup, command) in only_imports.items():
        command = f"PYTHONPATH=$PWD/lib {command}" if what == "PYTHONPATH" else command
        yield f"imports {what}", setup, command, f"{NOTES}; for each in */; do (cd $each; {NOTES}); done", "HIT"
    lists = {
        "a folder, then which": "import os, shutil; d = os.path.abspath('d'); print(os.path.isdir(d) and os.listdir(d)); "
                                "shutil.which('python3')",
        "a folder, then a package": "import os; d = os.path.abspath('d'); print(os.path.isdir(d) and os.listdir(d)); "
                                    "os.path.exists(d + '/pkg/__init__.py')",
        "a folder, then an import": "import os; d = os.path.abspath('d'); print(os.path.isdir(d) and os.listdir(d)); import colorsys",
        "a folder after three tests": "import os; d = os.path.abspath('d'); print(os.path.exists(d), os.path.isdir(d), "
                                      "os.stat(d).st_uid, os.listdir(d)); import colorsys",
    }
    own_lists = {
        "itself, then an import": OWN + "print(os.path.isdir(own) and os.listdir(own)); import colorsys",
        "itself after an import": "import helper\n" + OWN + "print(os.path.isdir(own) and os.listdir(own)); import colorsys",
        "itself after a log": "import helper\n" + OWN + "open('own.log', 'w').close()\n"
                              "print(os.path.isdir(own) and os.listdir(own)); import colorsys",
        "itself, then a package": OWN + "print(os.path.isdir(own) and os.listdir(own)); os.path.exists(own + '/pkg/__init__.py')",
        "itself, then a module": OWN + "print(os.path.isdir(own) and os.listdir(own)); os.path.exists(own + '/helper.py')",
        "itself, then a library": "import helper\n" + OWN + "print(os.path.isdir(own) and os.listdir(own))\n"
                                  "os.path.exists(os.path.dirname(os.__file__))",
        "itself, then a plugin": OWN + "import importlib.util as u\nprint(os.path.isdir(own) and os.listdir(own))\n"
                                 "s = u.spec_from_file_location('helper', own + '/helper.py'); "
                                 "s.loader.exec_module(u.module_from_spec(s))",
        "itself by a test and importlib": OWN + "import importlib\nprint(os.path.isdir(own) and os.listdir(own)); "
                                          "importlib.import_module('helper')",
        "all of sys.path": "import os, sys\nfor p in sys.path:\n  if os.path.isdir(p): print('data.csv' in os.listdir(p))",
    }
    for options in ["", "-I", "-B"]:
        for what, text in lists.items():
            yield f"lists {what} {options}", *python(text, options), "touch d/b.csv", "RUN"
        for what, text in own_lists.items():
            # with -I, the script's folder is not in sys.path, so the script neither imports from this folder
            # nor lists it as a part of sys.path
            if options != "-I" or ("helper" not in text and "sys.path" not in text):
                yield f"lists {what} {options}", *python(text, options), "touch data.csv", "RUN"
    pkg = "print([m.name for m in pkgutil.iter_modules(['.'])])"
    yield "looks for plugins", *python(f"import pkgutil; {pkg}"), "touch plug.py", "RUN"
    for folder in ["new-1.dist-info", "new.egg-info"]:
        yield f"looks for packages, {folder}", *python("import helper, importlib.metadata as m\n"
                                                       "print(len(list(m.distributions())))"), \
            f"mkdir {folder}; echo Name: new >{folder}/METADATA; cp {folder}/METADATA {folder}/PKG-INFO", "RUN"


def table_of_names():
    names = {"octal 351": "a\\351.txt", "octal 350": "a\\350.txt", "a half pair": "a\\\\udce9.txt", "quotes": "a\"\\\\.txt"}
    both = "; ".join(f"echo 1 >\"$(printf '{name}')\"" for name in [*names.values(), "plain"])
    for what, name in names.items():
        path = f"\"$(printf '{name}')\""
        yield f"{what}, read", both, f"cat {path}", f"echo 2 >{path}", "RUN"
        yield f"{what}, matched", both, "cat a*.txt", f"echo 2 >{path}", "RUN"
        yield f"{what}, removed", both, f"cat {path} || true", f"rm {path}", "RUN"
        yield f"{what}, listed", both, "ls", f"rm {path}; mkdir {path}; touch {path}/x", "RUN"
        yield f"{what}, not read", both, "cat plain", f"echo 2 >{path}", "HIT"
    yield "a folder that is not UTF-8", "mkdir \"$(printf 'd\\351')\"; echo 1 >\"$(printf 'd\\351')/x\"", "cat d*/*", "echo 2 >\"$(printf 'd\\351')/x\"", "RUN"
    yield "by-products only by the whole name", "mkdir my__pycache__; echo 1 >my__pycache__/f", "cat my__pycache__/f", \
        "echo 2 >my__pycache__/f", "RUN"
    yield "a by-product", "mkdir __pycache__; echo 1 >__pycache__/f", "cat __pycache__/f", "echo 2 >__pycache__/f", "HIT"


def table_of_calls():
    python_call = "python3 -c 'import os, sys\ntry:\n  {}\n  print(\"worked\")\nexcept OSError as e: print(e.errno)'"
    rows = [
        ("mkdir", "", "mkdir d && rmdir d", "mkdir d; touch d/x", "RUN"),
        ("mkdir, empty", "", "mkdir d && rmdir d", "mkdir d", "RUN"),
        ("mkdir, left", "", "mkdir -p d; touch d/log", "rm -r d", "HIT"),
        ("mkdir, there already", "mkdir d; touch d/x", "mkdir d", "rm -r d", "RUN"),
        ("mkdir in a folder", "mkdir d; touch d/x", "mkdir d/e && rmdir d/e", "rm -r d", "RUN"),
        ("mkdir without the folder", "", "mkdir d/e && rm -r d/e", "mkdir d; touch d/x", "RUN"),
        ("symlink", "", "ln -s a l && rm l", "touch l", "RUN"),
        ("symlink, left", "", "ln -sfn a l", "rm l", "HIT"),
        ("link", "touch a", "ln a l && rm l", "touch l", "RUN"),
        ("fifo", "", "mkfifo p && rm p", "touch p", "RUN"),
        ("lock", "", "set -C; echo x >lock && rm lock", "touch lock", "RUN"),
        ("lock, left", "", python_call.format("os.path.lexists(\"/none\") or open(\"lock-%d\" % os.getpid(), \"x\")"), "touch a", "HIT"),
        ("rmdir", "mkdir d", "rmdir d && mkdir d", "touch d/x", "RUN"),
        ("os.rmdir", "mkdir d", python_call.format("os.rmdir(\"d\"); os.mkdir(\"d\")"), "touch d/x", "RUN"),
        ("unlink", "touch a", python_call.format("os.unlink(\"a\"); open(\"a\", \"w\")"), "rm a; mkdir a; touch a/x", "RUN"),
        ("unlink, missing", "", python_call.format("os.unlink(\"a\")"), "touch a", "RUN"),
        ("write", "", "echo x >o && rm o", "mkdir o; touch o/x", "RUN"),
        ("write, other content", "", "echo x >o && rm o", "echo y >o", "HIT"),
        ("write in a folder", "mkdir d; touch d/a", "echo x >d/o && rm d/o", "rm -r d", "RUN"),
        ("write without the folder", "", "echo x >d/o && rm d/o", "mkdir d; touch d/a", "RUN"),
        ("append", "echo 1 >o", "echo x >>o", "rm o; mkdir o; touch o/x", "RUN"),
        ("append, other content", "echo 1 >o", "echo x >>o", "echo 2 >o", "HIT"),
        ("rename over", "touch a", python_call.format("os.rename(\"a\", \"b\"); os.rename(\"b\", \"a\")"), "mkdir b; touch b/x", "RUN"),
        ("rename over, a file", "touch a", python_call.format("os.rename(\"a\", \"b\"); os.rename(\"b\", \"a\")"), "touch b", "HIT"),
        ("rename of nothing", "", python_call.format("os.rename(\"a\", \"b\")"), "touch a", "RUN"),
        ("renameat2", "touch a", "python3 -c 'import ctypes, os\nprint(ctypes.CDLL(None).renameat2(-100, b\"a\", -100, b\"b\", 1))\n"
         "os.path.exists(\"a\") or os.rename(\"b\", \"a\")'", "touch b", "RUN"),
        ("folder put in place", "", "mkdir t; echo 1 >t/x; rm -rf m; mv -T t m; cat m/x", "touch a", "HIT"),
        ("truncate", "echo 1 >a", python_call.format("os.truncate(\"a\", 0)"), "rm a", "RUN"),
        ("chmod", "echo 1 >a", "chmod +x a", "rm a", "RUN"),
        ("chmod, missing", "", "chmod +x a", "touch a", "RUN"),
        ("write without creating", "echo 1 >a", "echo x | dd conv=nocreat,notrunc of=a 2>/dev/null", "rm a", "RUN"),
        ("log beside the code", "echo 1 >a", "echo x | tee -a log", "rm log", "HIT"),
    ]
    for what, setup, command, edit, expected in rows:
        yield what, setup, f"{{ {command}; }} 2>/dev/null && echo worked || echo failed", edit, expected


def table_of_modes():
    """For a user who is not root, so that modes matter."""
    yield "test -w", "touch a", "test -w a && echo yes || echo no", "chmod a-w a", "RUN"
    yield "stat", "touch a", "stat -c %a a", "chmod 640 a", "RUN"
    yield "stat of a folder", "mkdir d; touch d/x", "stat -c %a d", "chmod 700 d", "RUN"
    yield "access to a folder", "mkdir d; touch d/x", "test -w d && echo yes || echo no", "chmod a-w d", "RUN"
    yield "cat", "touch a", "read line <a || true", "chmod 600 a", "HIT"
    yield "not looked at", "touch a b", "test -w a", "chmod a-w b", "HIT"
    yield "becomes unreadable", "touch a b", "read line <a || true", "chmod 000 b", "HIT"
    yield "is unreadable", "touch a b; chmod 000 b", "read line <a || true", "echo 1 >a", "RUN"
    yield "was read and becomes unreadable", "touch a", "read line <a || true", "chmod 000 a", "RUN"


def rows_of(part):
    return [(f"s{number}", *row) for number, row in enumerate(globals()[f"table_of_{part}"]())]


def plan():
    text = subprocess.run([KML, "run", "p.json", "--dry-run"], check=True, capture_output=True).stdout.decode("utf-8", "replace")
    return {line.split()[0]: line.split()[1:] for line in text.splitlines()}


def in_folder(row, text):
    subprocess.run(["bash", "-c", text], cwd=row[0], check=True)


def check(row, line, expected):
    if line[0] == expected and (expected == "HIT" or len(line) > 1):
        return True
    print(f"{row[1]}: planned {' '.join(line)}, not {expected}")
    return False


rows = rows_of(PART)
steps = {}
for row in rows:
    os.mkdir(row[0])
    in_folder(row, row[2])
    steps[row[0]] = {"command": ["bash", "-c", f'cd {row[0]}; {{ {row[3]}\n}} >"$0"', "${out.o}"], "outputs": {"o": "file"}}
pathlib.Path("p.json").write_text(json.dumps({"apiVersion": "kml.dev/v1", "kind": "Pipeline", "metadata": {"name": PART},
                                              "spec": {"steps": steps}}))
# Runs the steps twice, because some change files of their folder in the first run, and find them unchanged in
# the second.
for _ in range(2):
    done = subprocess.run([KML, "run", "p.json", "--record"], capture_output=True)
    if done.returncode != 0 or b"are compared" in done.stderr:
        sys.exit(done.stdout.decode() + done.stderr.decode())
lines = plan()
good = [check(row, lines[row[0]], "HIT") for row in rows]
for row in rows:
    in_folder(row, row[4])
lines = plan()
good += [check(row, lines[row[0]], row[5]) for row in rows]
sys.exit(not all(good))
P
export KML_CONTEXT=local
for part in kinds imports names calls; do
  mkdir $part
  (cd $part && python3 ../edits.py "$KML" $part) || fail "$part"
done

# Modes only matter to users other than root.
other=$work/other
mkdir -p "$other/home" "$other/modes"
cp edits.py "$other"
as=()
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid=64123 --regid=64123 --clear-groups)
  chmod 755 "$work"
  chown -R 64123:64123 "$other"
  "${as[@]}" test -x "$KML" 2>/dev/null || { echo "NOTE: no other user, so modes are not tested"; exit 0; }
fi
as+=(env HOME="$other/home" XDG_STATE_HOME="$other/state" XDG_CONFIG_HOME="$other/config" XDG_CACHE_HOME="$other/cache")
stop() {
  local status=$?
  "${as[@]}" timeout 300 "$KML" local down --force >/dev/null 2>&1 || true
  finish $status
}
trap stop EXIT
cd "$other/modes"
"${as[@]}" python3 ../edits.py "$KML" modes || fail modes
"${as[@]}" mkdir -m 300 s0/closed
expect 1 "${as[@]}" "$KML" run p.json --dry-run
contains "$err" "cannot list the folder $PWD/s0/closed"
contains "$err" "chmod u+rx $PWD/s0/closed"
