# kml ui --web in a browser: each view, live changes, keys, actions, hostile texts, 500 pixels, dark and light, 10,000 rows.
[ -n "$(type -P chromium chromium-browser google-chrome)" ] || { echo "skipped: there is no chromium"; exit 77; }
. "$(dirname "$0")/../cli/lib.sh"
"$KML" local up --fake-gpus 4 >/dev/null 2>&1
python3 "$SOURCE/tests/browser/ui.py" ${PICTURES:+--pictures "$PICTURES"}
