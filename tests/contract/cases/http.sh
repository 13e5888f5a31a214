. "$(dirname "$0")/../lib.sh"
# What kml depends on, in plain HTTP: tests/contract/http/cases_*.py.
kubectl config view --raw -o json >config.json
CONTRACT_CONFIG=$PWD/config.json CONTRACT_NAMESPACE=$namespace PYTHONDONTWRITEBYTECODE=1 \
  python3 "$SOURCE/tests/contract/http/run.py" ${CONTRACT_CASES:-}
