# Tests what kml-step records of many kinds of system calls, in threads, children and orphans.
. "$(dirname "$0")/lib.sh"
[ "$(uname -s)" = Linux ] || exit 77
cat >record.py <<'P'
import os, pathlib, re, shutil, subprocess, sys, time

STEP = sys.argv[1]
COARSE = 5  # CLOCK_REALTIME_COARSE, from which the kernel takes the times of files
BEGIN = """
import ctypes, os, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
def quietly(call, *words, **more):
    try:
        return call(*words, **more)
    except OSError:
        return None
"""
ORPHAN = """
read, write = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        open("a").close()
        os.write(write, b"x")
    os._exit(0)
os.wait()
os.read(read, 1)
"""
# Each row has the program and the lines of its record. Names outside the folder are not recorded.
ROWS = [
    ("open('a')", ["file a"]),
    ("os.stat('none')" , ["missing none"]),
    ("os.stat('none/below')", ["missing none/below"]),
    ("os.stat('a/below')", ["missing a/below"]),
    ("os.stat('link')", ["link link", "file a"]),
    ("os.lstat('link')", ["link link"]),
    ("os.readlink('link')", ["link link"]),
    ("os.stat('to-sub/x')", ["link to-sub", "file sub/x"]),
    ("os.stat('to-sub/../a')", ["link to-sub", "file a"]),
    ("os.access('a', os.X_OK)", ["file a"]),
    ("open(os.getcwd() + '/sub//./x')", ["file sub/x"]),
    ("open(os.environ['OUTSIDE'])", ["file a"]),
    ("open('/proc/self/cwd/a')", ["file a"]),
    ("open('/dev/fd/%d' % os.open('a', os.O_RDONLY))", ["file a"]),
    ("os.chdir('sub'); open('x'); open('../a')", ["folder sub", "file sub/x", "file a"]),
    ("os.open('x', 0, dir_fd=os.open('sub', os.O_PATH))", ["folder sub", "file sub/x"]),
    ("libc.syscall(437, -100, b'a', (ctypes.c_uint64 * 3)(), 24)", ["file a"]),  # openat2
    ("libc.creat(b'a', 0o644); open('a')", ["made a"]),
    ("os.getxattr('a', 'user.x')", ["file a"]),
    ("os.truncate('a', 1)", ["tested-file a", "written a"]),
    ("os.stat('a'); os.lstat('sub'); open('script')", ["file a", "file script", "folder sub", "mode-644 a", "mode-755 sub"]),
    ("os.access('a', os.W_OK); os.chmod('a', 0o755); os.stat('a')", ["file a", "mode-644 a"]),
    ("os.stat('link')", ["file a", "link link", "mode-644 a"]),
    ("os.chmod('a', 0o600); open('a')", ["file a"]),
    ("os.listdir('sub')", ["folder sub", "list sub", "entry-file x"]),
    ("os.listdir(os.open('sub', os.O_RDONLY))", ["folder sub", "list sub", "entry-file x"]),
    ("threading.Thread(target=open, args=['a']).start()", ["file a"]),
    ("subprocess.run(['cat', 'a'], stdout=subprocess.DEVNULL)", ["file a"]),
    ("subprocess.run(['./script'])", ["file script", "file interpreter"]),
    ("subprocess.run(['./program'])", ["file program", "file loader"]),
    (ORPHAN, ["file a"]),
    ("open('new', 'w').close(); open('new')", ["made new"]),
    ("open('new', 'a').close(); open('new')", ["made new"]),
    ("quietly(os.stat, 'new'); open('new', 'w').close(); open('new')", ["missing new", "made new"]),
    ("open('new', 'a+')", ["missing new", "made new"]),
    ("open('a', 'w').close(); open('a')", ["made a"]),
    ("open('a', 'a').close()", ["written a"]),
    ("open('a', 'a').close(); open('a')", ["file a"]),
    ("open('a', 'r+').write('x'); open('a')", ["file a"]),
    ("open('a').close(); open('a', 'w').close(); open('a')", ["file a", "made a"]),
    ("open('a', 'x')", ["file a"]),
    ("quietly(open, 'none/new', 'w'); os.stat('none/new')", ["made none/new", "missing none/new", "tested-missing none"]),
    ("os.rename('a', 'b'); open('b')", ["file a", "made a", "made b"]),
    ("open('new', 'w').close(); os.rename('new', 'a'); open('a')", ["made a", "made new"]),
    ("os.rename('sub', 'moved')", ["folder sub", "made sub", "made-folder moved", "unsure it renamed the folder sub"]),
    ("os.link('a', 'b'); open('b')", ["file a", "made b"]),
    ("os.symlink('a', 'b'); open('b')", ["made b", "file a"]),
    ("os.unlink('a'); quietly(os.stat, 'a')", ["tested-file a", "made a"]),
    ("os.unlink('none')", ["tested-missing none"]),
    ("quietly(os.unlink, 'new'); open('new', 'w').close()", ["made new"]),
    ("os.mkdir('new'); open('new/x', 'w').close(); open('new/x')", ["made-folder new", "made new/x"]),
    ("quietly(os.stat, 'new'); os.mkdir('new')", ["own-folder new", "made-folder new"]),
    ("os.mkdir('sub')", ["tested-folder sub"]),
    ("os.mkdir('sub/new')", ["tested-folder sub", "made-folder sub/new"]),
    ("os.mkdir('new'); os.rmdir('new')", ["tested-missing new", "made-folder new", "list new"]),
    ("os.mkdir('new'); os.rename('new', 'moved'); os.rmdir('moved')",
     ["tested-missing new", "tested-missing moved", "made-folder new", "made-folder moved", "list moved"]),
    ("os.unlink('sub/x'); os.rmdir('sub')", ["tested-file sub/x", "tested-folder sub", "list sub", "made sub/x", "made sub"]),
    ("os.close(os.open('new', os.O_CREAT | os.O_EXCL)); os.unlink('new')", ["tested-missing new", "made new"]),
    ("os.symlink('a', 'new'); os.unlink('new')", ["tested-missing new", "made new"]),
    ("os.mkfifo('new'); os.unlink('new')", ["tested-missing new", "made new"]),
    ("os.link('a', 'new'); os.unlink('new')", ["file a", "tested-missing new", "made new"]),
    ("os.symlink('none', 'a')", ["tested-file a"]),
    ("libc.renameat2(-100, b'a', -100, b'new', 1); libc.renameat2(-100, b'new', -100, b'a', 1)",
     ["file a", "tested-missing new", "made a", "made new"]),
    ("libc.renameat2(-100, b'a', -100, b'script', 2)", ["file a", "file script", "made a", "made script"]),
    ("open('sub', 'w')", ["tested-folder sub"]),
    ("os.close(os.open('a', os.O_WRONLY))", ["tested-file a", "written a"]),
    ("os.chmod('none', 0o600)", ["tested-missing none"]),
    ("os.mkdir('n'); quietly(os.stat, 'n/x'); os.rmdir('n'); os.symlink('sub', 'n'); open('n/x')",
     ["missing n/x", "made-folder n", "list n", "file sub/x"]),
    ("assert libc.syscall(425, 1, 0) == -1 and ctypes.get_errno() == 38", []),  # io_uring_setup
    ("libc.unshare(0x20000)", ["unsure it changed its mounts or its root"]),
    ("libc.chroot(b'none')", ["unsure it changed its mounts or its root"]),
    ("libc.syscall(4000)", ["unsure it made the unknown system call 4000"]),
]

root = pathlib.Path("watched").resolve()
failed = 0
for program, expected in ROWS:
    shutil.rmtree(root, ignore_errors=True)
    (root / "sub").mkdir(parents=True)
    (root / "a").write_text("a")
    (root / "sub/x").write_text("x")
    (root / "link").symlink_to("a")
    (root / "to-sub").symlink_to("sub")
    (root / "script").write_text("#!./interpreter\n")
    shutil.copy("/bin/true", root / "interpreter")
    # a program whose loader is in the folder
    program_bytes = pathlib.Path("/bin/true").read_bytes()
    loader = re.search(rb"/lib[^\0]*/ld-[^\0]*", program_bytes)[0]
    shutil.copy(loader.decode(), root / "loader")
    (root / "program").write_bytes(program_bytes.replace(loader, b"./loader".ljust(len(loader), b"\0")))
    for name in ["script", "interpreter", "program", "loader"]:
        (root / name).chmod(0o755)
    outside = root.parent / "outside"
    outside.unlink(missing_ok=True)
    outside.symlink_to(root / "a")
    begun = time.time_ns()
    while (since := time.clock_gettime_ns(COARSE)) < begun:  # so that none of these files is new
        pass
    done = subprocess.run([STEP, "--record", root.parent / "record", root, str(since // 10**9), str(since % 10**9), "--",
                           sys.executable, "-I", "-S", "-c", BEGIN + program], cwd=root, capture_output=True, text=True,
                          env={"OUTSIDE": str(outside), "PATH": os.environ["PATH"]})
    lines = (root.parent / "record").read_text().split("\0")[1:-2]
    # modes are only compared in rows that list modes
    has_modes = any(line.startswith("mode-") for line in expected)
    found = sorted(line for line in lines if line != "folder ." and (has_modes or not line.startswith("mode-")))
    if found != sorted(expected) or "AssertionError" in done.stderr:
        failed += 1
        print(f"{program}\n  recorded {found}\n  and not  {sorted(expected)}\n{done.stderr}")
sys.exit(failed > 0)
P
expect 0 python3 record.py "$(dirname "$KML")/kml-step"

# The folder may be mounted at other places too.
if unshare -rm true 2>/dev/null; then
  mkdir "a lias" "o ver"
  unshare -rm sh -c '
    mount --bind watched "a lias"; mount --bind watched/sub "o ver"
    "$0" --record record "$PWD/watched" 0 0 -- cat "a lias/a" "o ver/x" >/dev/null' "$(dirname "$KML")/kml-step"
  tr '\0' '\n' <record >lines
  grep -qx "file a" lines && grep -qx "file sub/x" lines || fail "not seen at another mount: $(cat lines)"
fi

# Exit codes and signals are those of the command.
step() { expect "$1" "$(dirname "$KML")/kml-step" --record "$work/record" "$work" 0 0 -- "${@:2}"; }
step 7 sh -c 'exit 7'
step 127 /no/such/program
step 143 sh -c 'kill -TERM $$'
grep -q end "$work/record" || fail "no record"
# A recording inside another recording is not possible, but its command runs nevertheless.
touch "$work/conf.txt"
step 0 "$(dirname "$KML")/kml-step" --record "$work/inner" "$work" 0 0 -- cat "$work/conf.txt"
grep -q "unsure seccomp" "$work/inner" || fail "the inner recording does not say that it is not possible"
grep -q "conf.txt" "$work/record" || fail "the outer recording does not see the inner command"
