#include <string>

#include "kml/base/archive.h"
#include "kml/base/text.h"
#include "pod/hang/probe.h"

namespace kml::pod {

namespace {

/// Reads the output of `py-spy dump --json --locals`, and writes it again without the values of variables,
/// because they may be secret. Adds the locks that each thread holds, and the lock that it waits for. Finds
/// these in the source code of the frames: a thread holds a lock if it is in the body of a `with` statement,
/// or after an acquire() without a release(). A lock is identified by its address, by its global name, or by
/// the address at which its waiters wait (up to CPython 3.12, a lock object starts with a pointer to that
/// address, after the object's head).
constexpr const char* kLockScript = R"PY(
import ast, json, os, re, sys

PID = int(sys.argv[1])
FUTEX, WAIT4 = {"x86_64": (202, 61), "aarch64": (98, 260)}.get(os.uname().machine, (-1, -1))
trees = {}


def tree_of(path):
    if path not in trees:
        try:
            with open(os.path.join("/proc/%d/cwd" % PID, path), "rb") as source:
                trees[path] = ast.parse(source.read())
        except (OSError, SyntaxError, ValueError):
            trees[path] = ast.Module([], [])
    return trees[path]


def functions_and_locks(frame):
    """The functions around the line, the locks that the line holds, and the lock that it waits for."""
    line, body = frame["line"], tree_of(frame["filename"]).body
    functions, held, waited = [], [], None
    while body:
        inner = None
        for statement in body:
            if statement.lineno <= line <= statement.end_lineno:
                inner = statement
                break
            if statement.end_lineno < line and isinstance(statement, ast.Expr):
                call = method_call(statement.value)
                if call and call[1] == "acquire":
                    held.append(call[0])
                elif call and call[1] == "release":
                    held = [one for one in held if ast.dump(one) != ast.dump(call[0])]
        if inner is None:
            break
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            held = []
            if not isinstance(inner, ast.ClassDef):
                functions.append(inner)
        if isinstance(inner, ast.With):
            items = [item.context_expr for item in inner.items]
            if line > max(item.end_lineno for item in items):
                held += items
            elif len(items) == 1 and (inner.body[0].lineno > line or not may_wait(inner.body)):
                waited = items[0]
        blocks = [getattr(inner, name, []) for name in ("body", "orelse", "finalbody")]
        blocks += [part.body for name in ("handlers", "cases") for part in getattr(inner, name, [])]
        blocks = [block for block in blocks if isinstance(block, list) and block and
                  block[0].lineno <= line <= block[-1].end_lineno]
        body = blocks[0] if blocks else []
        if not body and waited is None:
            calls = [method_call(node) for node in ast.walk(inner) if isinstance(node, ast.Call) and
                     node.lineno <= line <= node.end_lineno]
            calls = [call for call in calls if call and call[1] == "acquire"]
            if len(calls) == 1:
                waited = calls[0][0]
    return functions, held, waited


def may_wait(statements):
    return any(isinstance(node, (ast.Call, ast.With, ast.Await)) for one in statements for node in ast.walk(one))


def method_call(node):
    """For `a.b.acquire()`: a.b and "acquire". None if the call might return without the lock."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords and \
            all(isinstance(argument, ast.Constant) and argument.value is True for argument in node.args):
        return node.func.value, node.func.attr


def binds(function, name):
    arguments = function.args
    names = [one.arg for one in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    own = list(ast.walk(function))
    if any(isinstance(node, ast.Global) and name in node.names for node in own):
        return False
    return name in names or any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in own)


def global_key(path, name):
    """MODULE.NAME, where MODULE is the last part of the module's name; for an imported module, only MODULE."""
    for node in tree_of(path).body:
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []:
            if (alias.asname or alias.name) == name:
                module = getattr(node, "module", None)
                return module.rpartition(".")[2] + "." + alias.name if module else alias.name.rpartition(".")[2]
    return os.path.basename(path).rpartition(".py")[0] + "." + name


def keys_of(node, frame, functions):
    """The keys of the object that the expression refers to in this frame."""
    if isinstance(node, ast.Name):
        if local(frame, node.id):
            return ["@%x" % local(frame, node.id)["addr"]]
        if functions and binds(functions[-1], node.id):
            return []
        for function in reversed(functions[:-1]):
            if binds(function, node.id):
                return ["%s:%d.%s" % (frame["filename"], function.lineno, node.id)]
        return [global_key(frame["filename"], node.id)]
    if isinstance(node, ast.Attribute):
        return [key + "." + node.attr for key in keys_of(node.value, frame, functions)]
    if isinstance(node, ast.Subscript):
        index = node.slice
        if isinstance(index, ast.Constant):
            index = repr(index.value)
        elif isinstance(index, ast.Name) and local(frame, index.id):
            index = local(frame, index.id)["repr"]
        else:
            return []
        keys = [key + "[" + index + "]" for key in keys_of(node.value, frame, functions)]
        listed = local(frame, node.value.id).get("repr", "") if isinstance(node.value, ast.Name) else ""
        parts = re.findall(r"<[^<>]* at 0x([0-9a-f]+)>", listed)
        if listed.startswith(("[", "(")) and index.isdigit() and int(index) < len(parts) and listed.count(",") + 1 == len(parts):
            keys.append("@" + parts[int(index)])
        return keys
    return []


def add_address_of_waiters(keys):
    for key in list(keys):
        if re.fullmatch("@[0-9a-f]+", key):
            try:
                with open("/proc/%d/mem" % PID, "rb", 0) as memory:
                    memory.seek(int(key[1:], 16) + 16)
                    keys.append("futex %x" % int.from_bytes(memory.read(8), sys.byteorder))
            except (OSError, OverflowError, ValueError):
                pass
    return keys


def waitable(node, frame, functions):
    keys = keys_of(node, frame, functions)
    return {"name": ast.unparse(node), "keys": add_address_of_waiters(keys)} if keys else None


def local(frame, name):
    return {one["name"]: one for one in frame.get("locals") or []}.get(name, {})


def is_in(frame, *ends):
    return frame["filename"].endswith(ends)


def add_locks(thread, names):
    try:
        with open("/proc/%d/task/%d/syscall" % (PID, thread["os_thread_id"])) as file:
            call = file.read().split()
    except OSError:
        call = []
    numbers = [int(word, 0) for word in call] if len(call) == 9 else [-1] * 9
    is_futex, has_end = numbers[0] == FUTEX, numbers[0] == FUTEX and numbers[4] != 0
    frames, holds, waits, at = thread["frames"], [], None, None
    if thread["os_thread_id"] == PID:
        holds.append({"name": "process %d" % PID, "keys": ["process %d" % PID], "shared": True})
    for index, frame in enumerate(frames):
        inner = frames[index - 1] if index else None
        name = frame["name"].rpartition(".")[2]
        if is_in(frame, "/threading.py") and name == "_bootstrap" and local(frame, "self"):
            holds.append({"name": 'thread "%s"' % thread["thread_name"], "keys": ["@%x" % local(frame, "self")["addr"]]})
        if is_in(frame, "/threading.py") and name == "join" and local(frame, "timeout").get("repr") == "None" and local(frame, "self"):
            key = "@%x" % local(frame, "self")["addr"]
            waits, at = {"name": names.get(key, "a thread"), "keys": [key]}, frames[min(index + 1, len(frames) - 1)]
        if is_in(frame, "/threading.py", "/multiprocessing/synchronize.py"):
            continue
        functions, held, waited = functions_and_locks(frame)
        # A condition's wait() releases its lock.
        if not (inner and is_in(inner, "/threading.py", "/multiprocessing/synchronize.py") and inner["name"].rpartition(".")[2] in ("wait", "wait_for")):
            holds += [one for one in (waitable(node, frame, functions) for node in held) if one]
        enters = all(is_in(one, "/threading.py", "/multiprocessing/synchronize.py") and one["name"].endswith("__enter__") for one in frames[:index])
        is_counted = index and local(frames[index - 1], "self").get("repr", "").startswith(("<Semaphore", "<BoundedSemaphore"))
        if waited is not None and enters and not is_counted and is_futex and not has_end:
            waits, at = waitable(waited, frame, functions) or {"name": ast.unparse(waited), "keys": []}, frame
            waits["keys"].append("futex %x" % numbers[1])
            waits["shared"] = not numbers[2] & 128  # FUTEX_PRIVATE_FLAG
    if numbers[0] == WAIT4 and 0 < numbers[1] < 1 << 31:
        name = "process %d" % numbers[1]
        waits = {"name": name, "keys": [name], "shared": True}
        at = next((one for one in frames if not is_in(one, "/subprocess.py") and "/multiprocessing/" not in one["filename"]), frames[0])
    thread["holds"] = holds
    if waits:
        thread["waits"], thread["waits_at"] = waits, at


text = sys.stdin.read()
try:
    threads = json.loads(text[text.index("["):])
    names = {}
    for thread in threads:
        for frame in thread["frames"]:
            if is_in(frame, "/threading.py") and frame["name"].rpartition(".")[2] == "_bootstrap" and local(frame, "self"):
                names["@%x" % local(frame, "self")["addr"]] = 'thread "%s"' % thread["thread_name"]
    for thread in threads:
        if thread["frames"]:
            add_locks(thread, names)
    for thread in threads:
        for frame in thread["frames"]:
            frame.pop("locals", None)
    text = json.dumps(threads)
except Exception:
    pass
sys.stdout.write(text)
)PY";

}  // namespace

/// The script in a short form. It becomes part of the request's URL, and proxies reject long URLs; some have
/// a limit of 16 KB.
std::string lock_script() {
  return "import base64,gzip;exec(gzip.decompress(base64.b64decode('" + base64_encoded(gzipped(kLockScript)) +
         "')))";
}

}  // namespace kml::pod
