# Notices are sent to a webhook, Slack, ntfy, the desktop and a command, at the start, the end, a failure and a hang.
# Addresses stay secret.
. "$(dirname "$0")/lib.sh"
cat >server.py <<'END'
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with open("received", "a") as file:
            file.write(json.dumps({"path": self.path, "title": self.headers["Title"], "body": body}) + "\n")
        self.send_response(404 if "refuse" in self.path else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port.new", "w").write(str(server.server_port))
import os; os.rename("port.new", "port")
server.serve_forever()
END
python3 server.py & server=$!
trap 'status=$?; kill $server; finish $status' EXIT
eventually test -e port
url=http://127.0.0.1:$(cat port)
received() { python3 -c "import json
notices = [json.loads(line) for line in open('received')]
bodies = [json.loads(each['body']) if each['body'].startswith('{') else each['body'] for each in notices]
$1" || fail "$1: $(cat received)"; }

# A failing job that is followed sends notices of its start and its failure, with the last metric and the verdict of kml
# why.
expect 3 "$KML" submit --name bad --notify "webhook:$url/hook/s3cr3t" --follow -- sh -c 'echo loss=0.25; exit 4'
received 'assert [each["event"] for each in bodies] == ["start", "failure"], bodies
start, end = bodies
assert start["job"] == "bad" and start["context"] == "local" and start["namespace"] == "default", start
assert end["metrics"] == {"loss": 0.25} and "exit code 4" in end["text"], end
assert "exit code 4" in end["why"] and "next: kml " in end["why"], end
assert all(each["path"] == "/hook/s3cr3t" for each in notices), notices'

# Notices go to an address from the environment or from a file, or to a command, while kml waits for the job. If the
# job was already running, no notice of its start is sent.
rm received
expect 0 "$KML" submit --name good -- sh -c 'until [ -e go ]; do sleep 0.05; done; echo acc=0.5'
runs() { [ "$("$KML" status good -o 'jsonpath={.status.ready}')" = 1 ]; }
eventually runs
echo "$url/topic/s3cr3t" >address
chmod 600 address
KML_NOTIFY_SLACK=$url/slack/s3cr3t "$KML" wait good --notify slack --notify ntfy:@address \
  --notify 'exec:echo "$KML_NOTICE_EVENT $KML_NOTICE_JOB" >>told; echo "$KML_NOTICE_TEXT" >>told' 2>err &
touch go
wait $! || fail "$(cat err)"
received 'slack, ntfy = notices
assert slack["path"] == "/slack/s3cr3t" and json.loads(slack["body"])["text"].startswith("job good succeeded"), slack
assert "acc=0.5" in slack["body"], slack
assert ntfy["path"] == "/topic/s3cr3t" and ntfy["title"].startswith("job good succeeded"), ntfy'
[ "$(sed -n 1p told)" = "end good" ] || fail "$(cat told)"
contains "$(cat told)" "acc=0.5"
contains "$(cat told)" "(local/default)"

# A hang.
cat >stop.sh <<'END'
echo step=1
kill -STOP $$
END
rm received
expect 0 "$KML" submit --name stuck --chdir "$work" -- sh -c 'sh stop.sh & wait'
KML_NOTIFY_HANG_EVERY=1s "$KML" wait stuck --notify "webhook:$url" 2>err & waiter=$!
hangs() { grep -q '\\"event\\":\\"hang\\"' received; }
eventually hangs
received 'hang = [each for each in bodies if each["event"] == "hang"]
assert hang[0]["text"] == "job stuck is stuck" and "next: kml " in hang[0]["why"], hang'
expect 0 "$KML" cancel stuck
wait $waiter && fail "a cancelled job succeeded"
hang_count=$(grep -c '\\"event\\":\\"hang\\"' received)
[ "$hang_count" = 1 ] || fail "reported $hang_count times"

# Reads an address that Windows wrote in UTF-16.
rm received
iconv -t utf-16 <<<"$url/slack" >wide
chmod 600 wide
expect 0 "$KML" submit --name windows --wait --notify slack:@wide -- true
received 'assert notices[-1]["path"] == "/slack", notices'

# If a notice fails, kml prints a note without the address, and its exit code does not change.
expect 0 "$KML" submit --name a --wait --notify "webhook:$url/refuse/s3cr3t" --notify webhook:http://127.0.0.1:1/s3cr3t \
  --notify 'exec:echo "said of $KML_NOTICE_JOB"; exit 7' -- true
contains "$err" "said of a"
contains "$err" "the notice to webhook was not sent"
contains "$err" "status 404"
contains "$err" "no response from its server"
contains "$err" "exit code 7"
expect 0 "$KML" submit --name b --notify "slack:$url/s3cr3t" -- sleep 1000
contains "$err" 'run `kml wait b` with the same --notify'
for wrong in slack webhook:s3cr3t ntfy:@missing sms:s3cr3t exec: desktop:s3cr3t; do
  expect 2 "$KML" submit --name c --notify "$wrong" -- true
done
chmod 644 address
expect 2 "$KML" submit --name c --notify slack:@address -- true
contains "$err" "chmod 600 address"
expect 2 "$KML" submit --name c --notify desktop --dry-run -- true
expect 2 "$KML" wait b --for running --notify desktop
# Shows notices on the desktop, through notify-send.
mkdir bin
printf '#!/bin/sh\nprintf "%%s|" "$@" >>"$0.said"\n' >bin/notify-send
chmod +x bin/notify-send
PATH=$work/bin:$PATH expect 0 "$KML" submit --name shown --wait --notify desktop -- true
contains "$(cat bin/notify-send.said)" "--app-name=kml|--|job shown succeeded"
# A project's kml.yaml cannot say where notices go.
echo 'notify: exec:touch stolen' >kml.yaml
expect 2 "$KML" submit --name c --wait -- true
[ ! -e stolen ] || fail "kml.yaml ran a command"
rm kml.yaml

expect 0 "$KML" list -A -o yaml
! grep -r s3cr3t err "$XDG_STATE_HOME/kml" >leaks || fail "$(cat leaks)"
[[ $out$err != *s3cr3t* ]] || fail "an address is in a manifest"
