# `kml hang` asks NCCL's RAS through a forwarded port. No GPU is needed: a program answers like RAS (NVIDIA/nccl,
# src/ras/client_support.cc), to any number of questions, with its own process ids. NCCL itself (tried: 2.30.7) starts
# RAS only in ncclCommInitRank(), which fails before that without a CUDA driver.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/local_server.sh"
cat >ras.py <<'PY'
import json, os, pathlib, socket, time
rank = int(os.environ["JOB_COMPLETION_INDEX"])
folder = pathlib.Path(os.environ["FOLDER"])
print(f"step=1 rank {rank}", flush=True)
(folder / f"pid-{rank}").write_text(str(os.getpid()))
while rank == 1:
    time.sleep(1000)
while not all((folder / f"pid-{r}").exists() and (folder / f"pid-{r}").read_text() for r in range(2)):
    time.sleep(0.05)
server = socket.create_server(("127.0.0.1", 28028))
asked = 0
while True:
    connection, _ = server.accept()
    asks, answers = connection.makefile("r"), connection.makefile("w")
    assert asks.readline() == "CLIENT PROTOCOL 2\n"
    answers.write("SERVER PROTOCOL 2\n")
    while not asks.readline().startswith("VERBOSE STATUS"):
        answers.write("OK\n")
    if (folder / "cut").exists():
        (folder / "cut").unlink()
        answers.close()
        asks.close()
        connection.close()
        continue
    asked += 1
    moved = asked if (folder / "moves").exists() else 0
    ranks = [{"rank": r, "host": "127.0.0.1", "pid": int((folder / f"pid-{r}").read_text()),
              "collective_counts": {"AllReduce": 50 + moved - r}} for r in range(2)]
    json.dump({"nccl_version": "2.28.9", "communicators": [{"hash": "0x1", "size": 2, "ranks": ranks, "missing_ranks": []}]}, answers)
    answers.close()
    asks.close()
    connection.close()
PY
mkdir shared bin
# The rest of a flight recorder file is written while kml waits for it. kml waits by `sleep 1` in the pod, so
# this script replaces `sleep`.
cat >bin/sleep <<'SH'
#!/bin/sh
[ "$1" != 1 ] || for rank in 0 1; do mv "$FOLDER/rest_$rank" "$FOLDER/trace_$rank" 2>/dev/null; done
PATH=/usr/bin:/bin exec sleep "$@"
SH
chmod +x bin/sleep
expect 0 "$KML" submit --image none --name ras -t job-indexed --nodes 2 --env "FOLDER=$work/shared" \
  --env "PATH=$work/bin:$PATH" --env "TORCH_FR_DUMP_TEMP_FILE=$work/shared/trace_" -- python3 "$work/ras.py"
says() { "$KML" hang ras --for 1s >"$work/said" 2>&1 && grep -q "$1" "$work/said"; }
eventually says "rank 0 waits in AllReduce #50; rank 1 launched only 49"
contains "$(cat said)" "cause:  missing call on rank 1   (NCCL RAS + "
# A truncated answer is requested again.
touch shared/cut
expect 0 "$KML" hang ras --for 1s
[ ! -e shared/cut ] || fail "RAS was not asked: $out"
contains "$out" "cause:  missing call on rank 1   (NCCL RAS + "
# PyTorch's flight recorder also shows in what the calls of the ranks differ. The files are recorded, see
# tests/data/flight_recorder.
for rank in 0 1; do cp "$SOURCE/tests/data/flight_recorder/mismatch-$rank.pickle" shared/trace_$rank; done
eventually says "rank 0 waits in all_reduce of \[\[4\]\] #6; rank 1 called broadcast of \[\[4\]\]"
contains "$(cat said)" "cause:  collective mismatch on rank 1   (flight recorder"
for rank in 0 1; do mv shared/trace_$rank shared/rest_$rank; head -c 1000 shared/rest_$rank >shared/trace_$rank; done
expect 0 "$KML" hang ras --for 2s
contains "$out" "cause:  collective mismatch on rank 1   (flight recorder"
rm shared/trace_*
# A second job on the same machine reaches the first job's RAS. Each job has its own process namespace, so the
# Python of both even has the same process id.
expect 0 "$KML" submit --image none --name other -t job-indexed --nodes 2 -- python3 -c 'import time; print("step=1", flush=True); time.sleep(1000)'
expect 0 "$KML" wait other --for=running --timeout 1000s
expect 0 "$KML" hang other --for 1s
[[ $out != *RAS\ +* && $out != *AllReduce* ]] || fail "believed another job's RAS: $out"
contains "$out$err" "NCCL's RAS (port 28028 belongs to another job)"
touch shared/moves
eventually says "^MOVES  AllReduce #"
expect 0 "$KML" delete --all --yes
