"""Runs the cases in this folder's cases_*.py and reports failures. Each case is a function that takes a server."""
import importlib
import pathlib
import sys
import traceback

from server import here

sys.path.insert(0, str(pathlib.Path(__file__).parent))
server, failed, count = here(), [], 0
wanted = sys.argv[1:]
for file in sorted(pathlib.Path(__file__).parent.glob("cases_*.py")):
    module = importlib.import_module(file.stem)
    for name, function in list(vars(module).items()):
        if not name.startswith("case_") or (wanted and not any(part in name for part in wanted)):
            continue
        count += 1
        try:
            function(server)
        except Exception:
            failed.append(name)
            print(f"FAILED {file.stem} {name}\n{traceback.format_exc()}", flush=True)
print(f"{count} cases, {len(failed)} failed")
sys.exit(1 if failed or not count else 0)
