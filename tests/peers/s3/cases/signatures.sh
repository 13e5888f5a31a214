# kml signs 300 random requests exactly as botocore does.
. "$SOURCE/tests/cli/lib.sh"
"$PYTHON" - >requests.json <<'P'
import datetime, hashlib, json, random
from unittest import mock
import botocore.auth, botocore.awsrequest, botocore.credentials
from urllib.parse import quote

random.seed(20261125)
letters = "abcXYZ019-._~ /+=&%$é\u1234:@,;!*'()"
def text(most): return "".join(random.choice(letters) for _ in range(random.randint(1, most)))
now = datetime.datetime(2026, 11, 25, 7, 50, 10)
requests = []
for i in range(300):
    key = text(30).strip("/")
    path = "/" + quote(key, safe="/-._~")
    query = [(quote(text(8), safe="-._~"), quote(text(8), safe="-._~")) for _ in range(random.randint(0, 4))]
    tail = "&".join(name + "=" + value for name, value in query)
    headers = {"X-Amz-Meta-A": text(10).encode("ascii", "ignore").decode().strip() or "x"} if random.random() < .5 else {}
    body = text(50).encode()
    token = random.choice([None, "TOKEN/+="])
    request = botocore.awsrequest.AWSRequest(method=random.choice(["GET", "PUT", "POST", "DELETE"]),
        url="https://bucket.s3.eu-west-1.amazonaws.com" + path + ("?" + tail if tail else ""), headers=dict(headers), data=body)
    request.context["payload_signing_enabled"] = True
    credentials = botocore.credentials.Credentials("AKID", "secret/" + str(i), token)
    patches = [mock.patch.object(botocore.auth, name, lambda: now) for name in ("get_current_datetime",) if hasattr(botocore.auth, name)]
    for patch in patches: patch.start()
    assert patches, "botocore takes its time from elsewhere"
    botocore.auth.S3SigV4Auth(credentials, "s3", "eu-west-1").add_auth(request)
    for patch in patches: patch.stop()
    requests.append({"method": request.method, "path": path + ("?" + tail if tail else ""), "headers": headers,
                     "payload": hashlib.sha256(body).hexdigest(), "secret": credentials.secret_key, "token": token or "",
                     "authorization": request.headers["Authorization"]})
print(json.dumps(requests))
P
KML_S3_REQUESTS=$PWD/requests.json timeout 60 "$KML_TESTS" --source-file='*/unit/net/s3/signature_test.cc' >tests.log 2>&1 || fail "$(tail -30 tests.log)"
contains "$(cat tests.log)" "300 signatures compared"
