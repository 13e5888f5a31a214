# The report of a sweep, in a browser without a network: each plot has its marks, and no error is logged.
[ -n "$(type -P chromium chromium-browser google-chrome)" ] || { echo "skipped: there is no chromium"; exit 77; }
. "$(dirname "$0")/../cli/lib.sh"
cat >train.sh <<'T'
trial=$1 lr=$2 width=$3
[ "$trial" != 3 ] || { echo "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>" >&2; exit 1; }
for epoch in 1 2 3 4 5 6 7 8 9; do
  awk -v lr="$lr" -v width="$width" -v epoch=$epoch -v trial="$trial" 'BEGIN {
    l = log(lr) / log(10) + 2
    print "epoch=" epoch " accuracy=" (trial == 5 ? "nan" : 0.95 - 0.1 * l * l - 2 / width - 0.5 * exp(-epoch / 2)) }'
  sleep 0.05
done
T
expect 0 "$KML" sweep run tuned --param lr=log:1e-4..1 --param width=16,32,64 --param opt=adam,sgd --param drop=0..0.5 \
  --maximize accuracy --trials 20 --parallel 4 --early-stopping asha --resource epoch:1..9 --constraint 'width * lr <= 40' \
  -- sh train.sh '{trial}' '{lr}' '{width}' '{opt}{drop}'
expect 0 "$KML" sweep report tuned
[ "$out" = tuned.html ] || fail "$out"

# Checks the same for the made journal of a sweep with 10,000 trials, a conditional parameter and hostile texts.
python3 - "$XDG_STATE_HOME/kml/sweeps/large" <<'P'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
import made_sweep
hostile = "</script><script>window.hacked=1</script><!-- <img src=x onerror='window.hacked=1'>"
made_sweep.write(sys.argv[1], 10_000, parallel=64, cause=hostile, note=hostile)
P
expect 0 "$KML" sweep report large -o large.html
expect 0 "$KML" sweep run front --param x=1..4 --maximize accuracy --minimize size --algorithm grid -- \
  sh -c 'echo accuracy=0.{x} size={x}'
expect 0 "$KML" sweep report front
python3 "$SOURCE/tests/browser/report.py" tuned.html large.html --front front.html
