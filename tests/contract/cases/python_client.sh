. "$(dirname "$0")/../lib.sh"
# Tests the official Python client (kubernetes on PyPI) with this server: tests/contract/python_client.py.
venv=$cache/kml-contract/python-client-34.1.0
if [ ! -e "$venv/complete" ]; then
  mkdir -p "$cache/kml-contract"
  exec 9>"$cache/kml-contract/lock"
  flock 9
  [ -e "$venv/complete" ] ||
    { python3 -m venv "$venv" && "$venv/bin/pip" install -q kubernetes==34.1.0 && touch "$venv/complete"; } >pip.log 2>&1 ||
    { echo "SKIPPED: the Python client cannot be installed: $(tail -3 pip.log)"; finish 77; }
fi
job python 'echo hello from a pod; echo a second line' | k create -f - --dry-run=client -o json >job.json
"$venv/bin/python" "$SOURCE/tests/contract/python_client.py" "$namespace" job.json
