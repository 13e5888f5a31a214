# `kml port` with few file descriptors: connections that it cannot accept yet wait, without using processor time, and
# are accepted later.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
expect 0 "$KML" submit --image none --name web -- python3 -m http.server --bind 127.0.0.1 "$port"
eventually curl -fsS "http://127.0.0.1:$port/"
(ulimit -n 40 && exec "$KML" port web ":$port" >forwarding 2>notes) & forwarder=$!
eventually grep -q '^127' forwarding
here=$(sed -n 's/127.0.0.1:\([0-9]*\) .*/\1/p' forwarding)
python3 - "$here" $forwarder <<'PY'
import os
import pathlib
import socket
import sys
import time
import urllib.request

port, pid = int(sys.argv[1]), sys.argv[2]


def processor_time():
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
while "too many connections at once" not in pathlib.Path("notes").read_text():
    time.sleep(0.05)
before, began = processor_time(), time.monotonic()
time.sleep(3)
used, passed = processor_time() - before, time.monotonic() - began
assert used < passed / 4, f"{used} s of processor time in {passed} s"
for client in clients:
    client.close()
deadline = time.monotonic() + 120
while True:
    try:
        assert urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10).status == 200
        break
    except OSError:  # the clients before it were not all accepted yet
        assert time.monotonic() < deadline, "it is kept out"
        time.sleep(0.1)
PY
# Each accepted client has its connection to the pod: none was closed for lack of descriptors.
[ "$(cat notes)" = "kml: too many connections at once (ulimit -n): others wait until some close" ] || fail "$(cat notes)"
kill $forwarder
wait $forwarder && fail "a signal ended it without 130" || [ $? = 130 ]
