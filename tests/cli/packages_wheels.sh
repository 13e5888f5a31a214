# Commands that start pods on a cluster say which packages have no wheel for the processor of its nodes.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
mkdir wheels
TAG=cp310-abi3-manylinux_2_17_x86_64 python3 "$SOURCE/tests/support/make_wheel.py" wheels fast 1.0
cat >cluster.py <<'P'
import http.server, json, pathlib
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def answer(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def refuse(self, code, reason):
        self.answer(code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason})
    def do_GET(self):
        if not self.path.startswith("/api/v1/nodes"):
            is_list = len(self.path.split("?")[0].split("/namespaces/")[-1].split("/")) == 2 or self.path.startswith("/api/v1/pods")
            return self.answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []}) if is_list else self.refuse(404, "NotFound")
        room = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        nodes = [{"metadata": {"name": name, "labels": {"kubernetes.io/arch": name}}, "spec": {}, "status": {"allocatable": room, "capacity": room}} for name in pathlib.Path("processors").read_text().split()]
        self.answer(200, {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": nodes})
    def do_POST(self):  # nothing is created
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "reviews" in self.path:
            return self.answer(201, dict(json.loads(body), status={"allowed": True}))
        if pathlib.Path("creates").exists():
            made = {"apiVersion": "v1", "kind": "Secret", **json.loads(body)}  # a patch has neither kind nor name
            made["metadata"].setdefault("name", self.path.split("?")[0].rsplit("/", 1)[1])
            made["metadata"]["uid"] = "u"
            return self.answer(201, made)
        self.refuse(403, "Forbidden")
    do_PATCH = do_PUT = do_DELETE = do_POST
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
P
python3 cluster.py & cluster=$!
trap 'status=$?; kill $cluster; finish $status' EXIT
eventually test -s port
kubeconfig_of_cluster
sed -i "s,https://127.0.0.1:1,http://127.0.0.1:$(cat port)," kubeconfig
export KUBECONFIG=$work/kubeconfig
echo fast >fast.txt
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  steps:
    train: {image: "python:3", requirements: fast.txt, command: [echo, '${out.v}'], outputs: {v: value}}
Y
cat >library.py <<'P'
import pathlib, kml  # kml.Executor submits in the same way
pathlib.Path("creates").touch()
kml.submit(["true"], image="python:3", requirements="fast.txt")
P
export KML_BINARY=$KML PYTHONPATH=$SOURCE/release/python PYTHONDONTWRITEBYTECODE=1
packages="--requirements fast.txt --image python:3"
commands() {
  cat <<T
$KML submit $packages -- true
$KML submit $packages --cron @daily -- true
$KML submit $packages --test-only -- true
$KML submit $packages --plan plan.json -- true
$KML submit $packages -t job-indexed --nodes 2 -- true
$KML sweep run s $packages --param x=1,2 --trials 2 --maximize score -- echo {x}
$KML sweep run s $packages --param x=1,2 --trials 2 --maximize score --plan plan.json -- echo {x}
$KML serve m $packages --port 8000 -- true
$KML dev d $packages
$KML run pipeline.yaml
$KML run pipeline.yaml --plan plan.json
python3 library.py
T
}
for processor in arm64 amd64; do
  echo $processor >processors
  while read -r command; do
    rm -f plan.json creates
    $command >out 2>err </dev/null || true
    if [ $processor = amd64 ]; then
      ! grep -q "must build" err || fail "$command: $(cat err)"
    else
      [ "$(grep -c "on arm64 nodes, a pod must build a package of [^ ]*fast.txt: Because fast==1.0 has no wheels" err)" = 1 ] || fail "$command: $(cat out err)"
    fi
  done < <(commands)
done
