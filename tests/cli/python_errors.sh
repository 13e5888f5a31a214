# The Python package: every error is a kml.Error, and the magics for notebooks, which need no notebook for this.
. "$(dirname "$0")/lib.sh"
cd "$SOURCE/tests/python"
KML_BINARY=$KML PYTHONPATH=$SOURCE/release/python PYTHONDONTWRITEBYTECODE=1 expect 0 python3 -m unittest -q test_errors test_magics
