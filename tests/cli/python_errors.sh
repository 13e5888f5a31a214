# Tests the Python package: mistakes in a call raise kml.Error. Also tests the magics for notebooks, without a notebook.
. "$(dirname "$0")/lib.sh"
cd "$SOURCE/tests/python"
KML_BINARY=$KML PYTHONPATH=$SOURCE/release/python PYTHONDONTWRITEBYTECODE=1 expect 0 python3 -m unittest -q test_errors test_magics
