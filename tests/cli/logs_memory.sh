. "$(dirname "$0")/lib.sh"
# Printing a log needs little memory, however long its lines are: one line of 96 MiB, some of 10 MiB, and random
# bytes. This is tested in several formats, and with a saved copy, in which each line is saved once.
cat >server.py <<'P'
import http.server, json, os, pathlib, threading

PIECES = {"giant": [b"x" * (1 << 20)] * 96, "tens": ([b"y" * (1 << 20)] * 10 + [b"\n2026-01-01T00:00:10Z "]) * 8,
          "binary": [os.urandom(1 << 20)] * 96}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def chunks(self, pieces):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def do_GET(self):
        path, _, query = self.path.partition("?")
        name = path.removesuffix("/log").rpartition("/")[2]
        job = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": {}}},
               "metadata": {"name": name, "namespace": "default", "uid": name + "00000000", "resourceVersion": "1"},
               "status": {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}}
        if path.endswith("/log"):
            self.chunks([b"2026-01-01T00:00:10Z ", *PIECES[name]])
            self.wfile.write(b"0\r\n\r\n")
        elif "sendInitialEvents=true" in query:  # refused, as by a server before 1.32
            self.answer({"kind": "Status", "reason": "Invalid", "code": 422}, 422)
        elif "watch=true" in query:
            self.chunks([])
            self.wfile.flush()
            threading.Event().wait()
        elif path.endswith("/pods"):
            name = query.split("job-name%3D")[1].split("&")[0]
            ended = {"terminated": {"exitCode": 0, "containerID": "id"}}
            self.answer({"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [{
                "metadata": {"name": name, "namespace": "default", "uid": "u" * 9, "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": name + "00000000", "controller": True}]},
                "spec": {"nodeName": "n", "containers": [{"name": "main"}]}, "status": {"phase": "Succeeded",
                "containerStatuses": [{"name": "main", "restartCount": 0, "containerID": "id", "state": ended}]}}]})
        elif path.endswith("/jobs"):
            name = query.partition("metadata.name%3D")[2].split("&")[0]
            job["metadata"].update(name=name, uid=name + "00000000")
            self.answer({"kind": "JobList", "metadata": {"resourceVersion": "1"}, "items": [job] if name else []})
        elif "/jobs/" in path and not pathlib.Path("gone").exists():
            self.answer(job)
        else:
            self.answer({"kind": "Status", "reason": "NotFound", "code": 404}, 404)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
pathlib.Path("config").write_text(json.dumps({
    "apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}]}))
pathlib.Path("ready").touch()
server.serve_forever()
P
python3 server.py &
server=$!
trap 'status=$?; kill $server; finish $status' EXIT
eventually test -e ready
export KUBECONFIG=$work/config

# takes MIB ARGUMENT...: checks that kml logs prints that many MiB, and how much memory it needs. (Sanitizers need
# additional memory.)
bar=50
if grep -q -e __asan_init -e __tsan_init "$KML"; then bar=4096; fi
takes() {
  python3 - "$bar" "$KML" logs "${@:2}" <<'P' >printed || fail "kml logs ${*:2}: $(cat printed)"
import os, subprocess, sys
run = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
size = sum(map(len, iter(lambda: run.stdout.read(1 << 20), b"")))
_, status, used = os.wait4(run.pid, 0)
print(size >> 20, f"status {status}, {used.ru_maxrss >> 10} MiB of memory")
sys.exit(status != 0 or used.ru_maxrss >> 10 > int(sys.argv[1]))
P
  [ "$(cut -d' ' -f1 printed)" = "$1" ] || fail "kml logs ${*:2}: $(cat printed) MiB printed"
}
takes 96 giant
takes 96 giant -f
takes 96 giant -o json
takes 0 giant --metrics
takes 0 giant --include words
takes 80 tens
takes 96 binary
takes 96 giant -f --save copy
takes 0 giant -f --save copy
sed -i 's/"complete": true/"complete": false/' copy/*/*/*/*.json
takes 0 giant -f --save copy
[ "$(stat -c %s copy/*/*/*/*.log)" -lt 100700000 ] || fail "lines were saved twice"
touch gone
takes 96 giant --save copy
takes 96 giant --save copy --tail 1
