# kml-step with a bucket, as in pods with --store s3://…: kml-step-s3 copies the files of inputs and outputs.
# Copies are repeated after failures. An artifact appears in the bucket only once it is complete.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$KML")
tar czf program.tar.gz -C "$here" kml-step-s3
mkdir program && split -b 1000000 -d -a 2 program.tar.gz program/
export AWS_ACCESS_KEY_ID=tester AWS_SECRET_ACCESS_KEY=sesame
serve() { # PORT_FILE [CERTIFICATE KEY]
  python3 "$SOURCE/tests/peers/s3/bucket.py" "$@" & servers="${servers:-} $!"
  eventually test -s "$1"
}
trap 'status=$?; kill $servers 2>/dev/null || true; finish $status' EXIT
serve port
url=http://127.0.0.1:$(cat port)
step() { "$here/kml-step" --bucket s3://made/team "$work/program" --variable "AWS_ENDPOINT_URL=$url" --message message "$@"; }
objects() { curl -s "$url/objects"; }

# A folder with a file that is sent in parts, an empty folder and a link goes to the bucket, and comes back.
head -c 9000000 /dev/urandom >large
make='mkdir -p $0/empty; cp large $0/; echo small >$0/small; ln -s small $0/link'
expect 0 step --output folder tree "$work/tree" --report digests -- sh -c "$make" "$work/tree"
[ "$(objects | cut -d/ -f1-3 | sort | uniq -c | tr -s ' \n' ' ')" = " 2 team/v1/blobs 1 team/v1/manifests " ] || fail "$(objects)"
digest=$(objects | sed -n 's,.*manifests/../,,p')
# The command does not get the variables that are meant for kml-step-s3.
expect 0 step --input tree "$digest" "$work/in/tree" -- sh -c 'env; cat $0/link; readlink $0/link; cmp $0/large large && ls $0' "$work/in/tree"
contains "$out" $'small\nsmall\nempty\nlarge\nlink\nsmall'
! [[ "$out" == *AWS_ENDPOINT_URL* ]] || fail "$out"
# Existing objects are not sent again; a request to a busy server, or over a connection that breaks, is repeated.
curl -s -X PUT "$url/fault/busy/1"
expect 0 step --output folder tree "$work/tree" --report digests -- sh -c "$make" "$work/tree"
head -c 9000000 /dev/urandom >other
curl -s -X PUT "$url/fault/cut/1"
expect 0 step --output file other "$work/copy" --report digests -- cp other copy
[ "$(objects | grep -c blobs)" = 3 ] || fail "$(objects)"

# Without its key, bucket, server or object, kml-step exits with a cause. A missing input has its own exit code, after
# which kml makes the input again.
before=$(objects)
AWS_ACCESS_KEY_ID=stranger expect 125 step --output file f "$work/f" --report digests -- cp port f
contains "$err" "kml-step: cannot copy output f to s3://made/team: "
contains "$err" "stranger"
expect 125 env -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY AWS_EC2_METADATA_DISABLED=true \
  "$here/kml-step" --bucket s3://made/team "$work/program" --input tree "$digest" "$work/none" -- true
contains "$err" "env-from"
expect 125 "$here/kml-step" --bucket s3://none "$work/program" --variable "AWS_ENDPOINT_URL=$url" --input tree "$digest" "$work/none" -- true
contains "$err" "no bucket none"
gone=${digest//[0-9a-f]/0}
expect 124 step --input tree "$gone" "$work/none" -- true
contains "$err" "kml-step: input tree is missing: "
[ ! -e none ] || fail "half an input is there"
[ "$(objects)" = "$before" ] || fail "something was sent: $(objects)"

# With TLS, the server's certificate must be signed by a trusted CA, and be for the name or address of the server.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=tester -keyout key.pem -out cert.pem \
  -addext 'subjectAltName=DNS:localhost,DNS:bucket.test,IP:127.0.0.1' 2>/dev/null
serve tls cert.pem key.pem
for host in localhost 127.0.0.1; do
  url=https://$host:$(cat tls)
  AWS_CA_BUNDLE=cert.pem expect 0 step --output file f "$work/f" --report digests -- cp port f
done
KML_MORE_AUTHORITIES=$work/cert.pem expect 125 step --output file f "$work/f" --report digests -- cp port f
contains "$err" "the certificate of 127.0.0.1:$(cat tls) is not valid"

# Connects through a proxy, because only the proxy can resolve the bucket's host: with plain requests, and
# with a tunnel for TLS.
expect 125 env AWS_ENDPOINT_URL=https://bucket.test:$(cat tls) "$here/kml-step" --bucket s3://made/team "$work/program" --output file f "$work/f" --report digests -- cp port f
contains "$err" "no response from bucket.test:"
proxy=127.0.0.1:$(cat port)
url=http://bucket.test
HTTP_PROXY=http://$proxy expect 0 step --output file f "$work/f" --report digests -- cp other f
url=https://bucket.test:$(cat tls)
export AWS_CA_BUNDLE=cert.pem
HTTPS_PROXY=http://me:p%40ss@$proxy expect 0 step --output file f "$work/f" --report digests -- cp port f
HTTPS_PROXY=$proxy expect 125 step --output file f "$work/f" --report digests -- cp port f
contains "$err" "no response from bucket.test:$(cat tls): the proxy 127.0.0.1 answered: HTTP/1.1 407"
HTTPS_PROXY=http://me:p%40ss@$proxy NO_PROXY=.test expect 125 step --output file f "$work/f" --report digests -- cp port f
contains "$err" "no response from bucket.test:"
HTTPS_PROXY=socks5://$proxy expect 125 step --output file f "$work/f" --report digests -- cp port f
contains "$err" "unsupported proxy socks5h: pods use only http:// proxies"
