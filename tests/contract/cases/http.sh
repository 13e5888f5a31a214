. "$(dirname "$0")/../lib.sh"
# Tests the parts of the API on which kml depends, without a client library: tests/contract/http/cases_*.py.
kubectl config view --raw -o json >config.json
# Compacts all of etcd's history up to revision 100, which no test needs, so that the real server has forgotten it.
[ "${CONTRACT_SERVER:-embedded}" = embedded ] ||
  export CONTRACT_FORGET="'$SOURCE/tests/cluster/cluster' exec curl -sS --fail http://127.0.0.1:2379/v3/kv/compaction -d '{\"revision\": 100}' || true"
CONTRACT_CONFIG=$PWD/config.json CONTRACT_NAMESPACE=$namespace PYTHONDONTWRITEBYTECODE=1 \
  python3 "$SOURCE/tests/contract/http/run.py" ${CONTRACT_CASES:-}
