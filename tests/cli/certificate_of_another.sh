# If the certificate authority or the host in a kubeconfig is wrong, the error has the cluster, its context, and the file.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up
expect 0 "$KML" local kubeconfig
echo "$out" >config
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.crt -subj /CN=other 2>/dev/null
/usr/bin/python3 - <<'P'
import base64, pathlib, re
config, other = pathlib.Path("config").read_text(), base64.b64encode(pathlib.Path("other.crt").read_bytes()).decode()
data = re.sub(r"certificate-authority-data: \S+", f"certificate-authority-data: {other}", config)
pathlib.Path("wrong-authority").write_text(data)
pathlib.Path("wrong-host").write_text(re.sub(r"server: \S+", "server: https://missing.invalid:1", config))
P
for file in wrong-authority wrong-host; do
  expect 5 timeout 300 "$KML" --kubeconfig $file list
  contains "$err" "of cluster \"local\" (context \"local\") in $file"
done
