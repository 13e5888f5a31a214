# The hashes that a user's files give for packages are the only allowed ones: kml rejects others before it submits, and the
# lock keeps these instead of those of the index.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH UV_FIND_LINKS=$work/wheels UV_OFFLINE=1
make="python3 $SOURCE/tests/support/make_wheel.py"
mkdir wheels project project/nested
$make wheels tiny 1.0
$make wheels tiny 2.0
$make wheels other 1.0 'tiny>=1'
TAG=cp310-abi3-manylinux_2_17_x86_64 $make wheels tiny 1.0
digest() { "${2:-sha256}sum" "wheels/$1" | cut -d' ' -f1; }
T=$(digest tiny-1.0-py3-none-any.whl) X=$(digest tiny-1.0-cp310-abi3-manylinux_2_17_x86_64.whl)
T2=$(digest tiny-2.0-py3-none-any.whl) O=$(digest other-1.0-py3-none-any.whl)
T384=$(digest tiny-2.0-py3-none-any.whl sha384) Z=$(printf '0%.0s' $(seq 64))
wheel=$work/wheels/tiny-1.0-py3-none-any.whl
cd project

# plan TEXT: plans a job with this requirements file, in which "|" ends a line. $lock then has the hashes of the lock.
plan() {
  tr '|' '\n' <<<"$1" >r.txt
  "$KML" trust r.txt >/dev/null 2>&1 || true
  "$KML" submit --requirements r.txt --dry-run -o yaml -- true >out 2>err
}
lock() { # the lock that the last plan names
  local name
  name=$(python3 -c 'import glob, os; print(max(glob.glob(os.environ["XDG_STATE_HOME"] + "/kml/locks/of-*"), key=os.path.getmtime))')
  grep -o 'sha256:[0-9a-f]*\|sha384:[0-9a-f]*' "$XDG_STATE_HOME/kml/locks/$(cat "$name")" | sort | tr '\n' ' '
}
other="tiny==1.0 --hash=sha256:$Z"
echo "$other" >nested/wrong.txt
echo "tiny==1.0 --hash=sha256:$T" >nested/right.txt
echo "$other" >../outside.txt

# Each row: what kml says, and the file.
while read -r said file; do
  got=0
  plan "$file" || got=$?
  [ "$got" != 0 ] || fail "accepted: $file"
  [[ "$(cat err)" == *"${said//_/ }"* ]] || fail "$file: $(cat err)"
done <<T
do_not_match $other
do_not_match --require-hashes|$other
do_not_match $other --hash=sha256:${Z//0/1}
do_not_match tiny==1.0 \\|    --hash=sha256:$Z
do_not_match tiny==1.0\\|    --hash=sha256:$Z
do_not_match tiny==1.0 --hash sha256:$Z
do_not_match Tiny == 1.0.0 --hash=sha256:$Z
do_not_match tiny ===1.0 ; python_version > "3" --hash=sha256:$Z
do_not_match tiny<2 --hash=sha256:$Z
do_not_match tiny==1.* --hash=sha256:$Z
do_not_match tiny==1.0 --hash=sha256:$T2
do_not_match tiny==2.0 --hash=sha384:${T384//[1-9]/0}
do_not_match tiny==1.0 --hash=md5:${Z:32}
do_not_match -r nested/wrong.txt
do_not_match tiny|-c nested/wrong.txt
do_not_match tiny==1.0 --hash=sha256:$T|-c nested/wrong.txt
do_not_match other|-c nested/wrong.txt
do_not_match -r ../outside.txt
do_not_match tiny @ file://$wheel#sha256=$Z
do_not_match tiny @ file://$wheel --hash=sha256:$Z
do_not_match $wheel --hash=sha256:$Z
do_not_match other==1.0 --hash=sha256:$O|$other
needs_a_hash_of_each_package --require-hashes|tiny==1.0
needs_a_hash_of_each_package --require-hashes|other==1.0 --hash=sha256:$O
needs_the_version_of_each_package --require-hashes|tiny --hash=sha256:$T2
is_not_a_hash tiny==1.0 --hash=sha256:12
is_not_a_hash tiny==1.0 --hash=sha1:$Z
is_not_a_hash tiny==1.0 --hash=$Z
T

# Each row: the only hashes of the lock, and the file.
while read -r wanted file; do
  plan "$file" || fail "$file: $(cat err)"
  [ "$(lock)" = "$(tr ',' '\n' <<<"$wanted" | sort | tr '\n' ' ')" ] || fail "$file: $(lock)"
done <<T
sha256:$T tiny==1.0
sha256:$T tiny==1.0 --hash=sha256:$T
sha256:$T tiny==1.0 --hash=SHA256:${T^^}
sha256:$X tiny==1.0 --hash=sha256:$X
sha256:$T,sha256:$Z tiny==1.0 --hash=sha256:$Z --hash=sha256:$T
sha256:$T --require-hashes|tiny==1.0 --hash=sha256:$T
sha256:$T,sha256:$O --require-hashes|other==1.0 --hash=sha256:$O|tiny==1.0 \\|  --hash=sha256:$T
sha256:$T --require-hashes|tiny==1.0|-c nested/right.txt
sha256:$T tiny==1.0 --hash=sha256:$T --hash=sha256:$X|-c nested/right.txt
sha256:$T tiny<2 --hash=sha256:$T
sha256:$T tiny @ file://$wheel#sha256=$T
sha256:$T2,sha256:$O other==1.0 --hash=sha256:$O
sha384:$T384 tiny==2.0 --hash=sha384:$T384
sha256:$T2 tiny==2.0 ; python_version >= "3" --hash=sha256:$T2|tiny==1.0 ; python_version < "3" --hash=sha256:$T
T

# uv itself rejects wrong hashes, too. A job can install a package by a hash that no index has.
for text in "tiny==1.0 --hash=sha256:$Z" "tiny==2.0 --hash=sha384:${T384//[1-9]/0}"; do
  echo "$text" >r.txt
  expect 1 uv pip install --no-config -q --target ../t -r r.txt
  contains "$err" "Hash mismatch"
done
echo "tiny==2.0 --hash=sha384:$T384" >r.txt
expect 0 "$KML" submit --requirements r.txt --follow -- python -c 'import tiny; print("tiny", tiny.VERSION)'
contains "$out" "tiny 2.0"

# kml also notices a change of an included file outside the folder.
plan "-r ../outside.txt" && fail "accepted"
echo "tiny==1.0 --hash=sha256:$T" >../outside.txt
plan "-r ../outside.txt" || fail "$(cat err)"
echo "$other" >../outside.txt
plan "-r ../outside.txt" && fail "accepted: its lock was kept"

# A list at a URL gives hashes as well, however kml comes to it.
mkdir ../site ../site/deep
echo "$other" >../site/wrong.txt
echo "tiny==1.0 --hash=sha256:$T" >../site/right.txt
echo "-r ../wrong.txt" >../site/deep/next.txt
echo "tiny==1.0" >../site/none.txt
cat >../site.py <<'P'
import base64, http.server, pathlib
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def answer(self, code, body=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if self.path.startswith("/moved/"):
            return self.answer(302, Location=self.path.removeprefix("/moved"))
        wanted = "Basic " + base64.b64encode(b"ana:pa55/word").decode()
        if self.path.startswith("/secret/") and self.headers.get("Authorization") != wanted:
            return self.answer(401, WWW_Authenticate='Basic realm="x"')
        file = pathlib.Path("site", self.path.removeprefix("/secret/").lstrip("/"))
        return self.answer(200, file.read_bytes()) if file.is_file() else self.answer(404)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path("site.port").write_text(str(server.server_port))
server.serve_forever()
P
(cd .. && exec python3 site.py) & site=$!
trap 'status=$?; kill $site; finish $status' EXIT
eventually test -s ../site.port
at=http://127.0.0.1:$(cat ../site.port) with_password=http://ana:pa55%2Fword@127.0.0.1:$(cat ../site.port)/secret
export UV_DEFAULT_INDEX=$at/simple
unset UV_OFFLINE
echo "-r $at/wrong.txt" >../outside.txt
echo "-r $at/wrong.txt" >nested/by_url.txt
expect 0 "$KML" trust nested/by_url.txt
while read -r file; do
  plan "$file" && fail "accepted: $file"
  contains "$(cat err)" "do not match"
  [[ $(cat err) != *pa55* ]] || fail "the password is printed: $(cat err)"
done <<T
-r $at/wrong.txt
--requirement=$at/wrong.txt
tiny|-c $at/wrong.txt
-r $at/deep/next.txt
-r $at/moved/wrong.txt
-r $with_password/wrong.txt
-r $with_password/deep/next.txt
-r nested/by_url.txt
-r ../outside.txt
-r file://$PWD/nested/wrong.txt
tiny==1.0 --hash=sha256:$T|-c $at/wrong.txt
T
for file in "-r $at/right.txt" "-r $at/none.txt|-c $at/right.txt" "-r $with_password/right.txt"; do
  plan "$file" || fail "$file: $(cat err)"
  [ "$(lock)" = "sha256:$T " ] || fail "$file: $(lock)"
done
plan "--require-hashes|-r $at/none.txt" && fail "accepted a list without hashes"
contains "$(cat err)" "needs a hash of each package"
kill $site
trap finish EXIT
unset UV_DEFAULT_INDEX
export UV_OFFLINE=1

# uv.lock keeps its hashes. (If a folder has several wheels of a version, uv itself locks the hash of one and may install another.)
rm ../wheels/tiny-1.0-cp310*
mkdir p && cd p
printf '[project]\nname = "p"\nversion = "0"\nrequires-python = ">=3.9"\ndependencies = ["tiny<2"]\n' >pyproject.toml
uv lock -q
expect 0 "$KML" submit --uv --follow -- python -c 'import tiny; print("tiny", tiny.VERSION)'
contains "$out" "tiny 1.0"
