# If a package index, a registry, a hub or a bucket does not answer, the terminal says what kml waits for, and since
# when. Nothing is created after Ctrl-C. An error names the server, and says for how long kml has tried it.
get=$(dirname "$0")/../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "$0")/lib.sh"
export PATH=$uv:$PATH TERM=xterm
# A server that accepts connections: the first port never answers, and the second closes them.
cat >servers.py <<'P'
import pathlib, selectors, socket
ports = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
pathlib.Path("ports").write_text(" ".join(str(port.getsockname()[1]) for port in ports) + "\n")
selector, kept = selectors.DefaultSelector(), []
for port in ports:
    selector.register(port, selectors.EVENT_READ)
while True:
    for key, _ in selector.select():
        connection = key.fileobj.accept()[0]
        if key.fileobj is ports[0]:
            kept.append(connection)
        else:
            connection.close()
P
python3 servers.py & servers=$!
trap 'status=$?; kill $servers; finish $status' EXIT
eventually test -s ports
read -r silent closing <ports
# until_seen TEXT COMMAND...: runs the command with a terminal of 80 columns as standard error until the terminal shows
# the text, then presses Ctrl-C. Prints what the terminal got, and the exit code.
until_seen() {
  python3 - "$@" <<'P'
import fcntl, os, pty, signal, struct, subprocess, sys, termios
terminal, other = pty.openpty()
fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=other, start_new_session=True)
os.close(other)
text, is_stopped = b"", False
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    text += piece
    if not piece:
        break
    if sys.argv[1].encode() in text and not is_stopped:
        is_stopped = True
        os.killpg(process.pid, signal.SIGINT)
process.wait()
print(text.decode(), "exit", process.returncode)
P
}
echo tiny >requirements.txt
index() { UV_DEFAULT_INDEX="http://ana:pa55word@127.0.0.1:$1/simple" "${@:2}"; }
shown=$(index "$silent" until_seen "Ctrl-C is safe" "$KML" submit --requirements requirements.txt -- true)
[[ "$shown" =~ "waiting for 127.0.0.1:$silent since "[0-9:]{8}" (3 s), Ctrl-C is safe" ]] || fail "$shown"
[[ "$shown" == *"exit -2"* || "$shown" == *"exit 130"* ]] || fail "$shown"
[[ "$shown" != *pa55word* ]] || fail "the password is shown: $shown"
shown=$(until_seen "Ctrl-C is safe" "$KML" image append "127.0.0.1:$silent/base" --code . --tag "127.0.0.1:$silent/made")
contains "$shown" "waiting for 127.0.0.1:$silent since "
# The version of data is looked up in a hub or a bucket.
export AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=key AWS_REGION=here
for source in hf://ana/net hf://datasets/ana/rows s3://bucket/rows; do
  shown=$(HF_ENDPOINT=http://127.0.0.1:$silent AWS_ENDPOINT_URL=http://127.0.0.1:$silent \
    until_seen "Ctrl-C is safe" "$KML" submit --data "$source:/data" -- true)
  contains "$shown" "waiting for 127.0.0.1:$silent since "
done
expect 0 "$KML" list -o name
[ -z "$out" ] || fail "a job was created: $out"

expect 1 index "$closing" "$KML" submit --requirements requirements.txt -- true
contains "$(grep '^  why: ' <<<"$err")" "kml tried 127.0.0.1:$closing for "
[[ "$err" != *pa55word* && "$err" != *$'\r'* ]] || fail "$err"
expect 5 "$KML" image append "127.0.0.1:$closing/base" --code . --tag "127.0.0.1:$closing/made"
contains "$(grep '^  why: ' <<<"$err")" "kml tried 127.0.0.1:$closing for "
