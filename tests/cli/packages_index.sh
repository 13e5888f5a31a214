# A private index with a password: uv finds packages there, and so do pods, whether the password is in uv's variables or in
# a URL of the file. kml's commands and records do not show the password.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH
mkdir wheels
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
cat >index.py <<'P'
import base64, http.server, pathlib
wheel = "tiny-1.0-py3-none-any.whl"
wanted = "Basic " + base64.b64encode(b"ana:pa55word").decode()
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def do_GET(self):
        is_known = self.headers.get("Authorization") == wanted
        print(self.path, is_known, flush=True)
        body = b""
        if self.path == "/simple/tiny/":
            body = ('<a href="/f/%s">%s</a>' % (wheel, wheel)).encode()
        elif self.path == "/f/" + wheel:
            body = (pathlib.Path("wheels") / wheel).read_bytes()
        self.send_response(401 if not is_known else 200 if body else 404)
        self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/octet-stream")
        if not is_known:
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            body = b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")
    do_HEAD = do_GET
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
P
python3 index.py >asked & index=$!
trap 'status=$?; kill $index; finish $status' EXIT
eventually test -s port
host=127.0.0.1:$(cat port)
import='import tiny; print("tiny", tiny.VERSION)'
secret_of_job() { # NAME: checks that these commands and kml's records do not have the password
  for words in "history -o json" "status $1 -o yaml" "list jobs -o yaml" "runs compare $1 $1 --all" "logs $1"; do
    out=$("$KML" $words 2>&1) || true
    [[ "$out" != *pa55word* ]] || fail "kml $words prints the password"
  done
  ! grep -q pa55word "$XDG_STATE_HOME"/kml/*.jsonl || fail "the record has the password"
}

mkdir p && cd p
printf '[project]\nname = "p"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = ["tiny"]\n[[tool.uv.index]]\nname = "my-corp"\nurl = "http://%s/simple"\ndefault = true\n' "$host" >pyproject.toml
expect 2 "$KML" submit --uv -- true
contains "$err" "pyproject.toml is not trusted"
expect 0 "$KML" trust pyproject.toml
expect 1 "$KML" submit --uv -- true
contains "$err" "cannot resolve the packages of pyproject.toml"
export UV_INDEX_MY_CORP_USERNAME=ana UV_INDEX_MY_CORP_PASSWORD=pa55word
expect 0 "$KML" submit --uv --name by-variable --follow -- python -c "$import"
contains "$out" "tiny 1.0"
secret_of_job by-variable
expect 0 "$KML" submit --uv --dry-run -o yaml -- true
[[ "$out$err" != *pa55word* ]] || fail "$out"

# A rerun uses the same index, although the environment is deleted.
store=$XDG_STATE_HOME/kml/environments
chmod -R u+w "$store" && rm -rf "$store"
expect 0 "$KML" rerun by-variable --name again --follow -- python -c "$import"
contains "$out" "tiny 1.0"

# Tests a lock of uv, and a password in the URL in the file.
uv lock -q
expect 0 "$KML" submit --uv --follow -- python -c "$import"
contains "$out" "tiny 1.0"
unset UV_INDEX_MY_CORP_USERNAME UV_INDEX_MY_CORP_PASSWORD
cd .. && mkdir r && cd r
printf -- '--index-url http://ana:pa55word@%s/simple\ntiny\n' "$host" >requirements.txt
expect 0 "$KML" trust requirements.txt
chmod -R u+w "$store" && rm -rf "$store"
expect 0 "$KML" submit --requirements requirements.txt --name by-url --follow -- python -c "$import"
contains "$out" "tiny 1.0"
secret_of_job by-url
printf -- '--index-url http://ana:wr0ng@%s/simple\ntiny\n' "$host" >requirements.txt
expect 0 "$KML" trust requirements.txt
expect 1 "$KML" submit --requirements requirements.txt -- true
[[ "$err" != *wr0ng* ]] || fail "the error has the password: $err"

# The user's .netrc has the login. The embedded server runs without this variable, so kml passes it on.
printf 'machine 127.0.0.1\n  login ana\n  password pa55word\n' >../logins
chmod 600 ../logins
export NETRC=$work/logins
echo 'tiny>=0.1' >requirements.txt
chmod -R u+w "$store" && rm -rf "$store"
UV_DEFAULT_INDEX=http://$host/simple expect 0 "$KML" submit --requirements requirements.txt --name by-netrc --follow -- python -c "$import"
contains "$out" "tiny 1.0"
secret_of_job by-netrc
kubeconfig_of_cluster
UV_DEFAULT_INDEX=http://$host/simple expect 0 "$KML" submit --kubeconfig kubeconfig --requirements requirements.txt --image python:3 --dry-run -- true
contains "$err" "pods on a cluster do not have the login for $host in $work/logins"
[[ "$out$err" != *pa55word* ]] || fail "$out$err"
unset NETRC
# An error about a missing login says how to log in.
echo 'tiny>=0.2' >requirements.txt
UV_CACHE_DIR=$work/cache-without-login UV_DEFAULT_INDEX=http://$host/simple expect 1 "$KML" submit --requirements requirements.txt -- true
contains "$err" "log in to the index"

# pip, in an image without uv, gets the same index and password.
cat >pip.py <<'P'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import in_pod
variables = {"UV_INDEX_MY_CORP_USERNAME": "ana", "UV_INDEX_MY_CORP_PASSWORD": "p/@"}
for value, wanted in [("my-corp=https://h/simple https://other", "https://ana:p%2F%40@h/simple https://other"),
                      ("https://h/?a=b", "https://h/?a=b"), ("other=https://h", "https://h"),
                      ("my-corp=https://u:p@h/s", "https://u:p@h/s"), ("https://a,/b", "https://a /b")]:
    assert in_pod.indexes_for_pip(value, variables) == wanted, (value, in_pod.indexes_for_pip(value, variables))
P
python3 pip.py "$SOURCE/src/job/packages" || fail "pip's variables"
