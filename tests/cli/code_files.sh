# kml code-files, which the Python package uses: the files that --code sends.
. "$(dirname "$0")/lib.sh"
mkdir -p src/data src/.venv empty
touch src/train.py src/data/words src/.venv/left_out
ln -s train.py src/link
expect 0 "$KML" code-files src -o json
python3 -c 'import json, sys; assert json.load(sys.stdin) == ["data/words", "link", "train.py"]' <<<"$out" || fail "$out"
expect 2 "$KML" code-files empty -o json
contains "$err" "no files in empty"
expect 2 "$KML" code-files nowhere -o json
contains "$err" "nowhere is not a folder"
truncate -s 1G src/large
expect 2 "$KML" code-files src -o json
contains "$err" "src is too large for --code"
