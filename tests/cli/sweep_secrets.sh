# A sweep with code and secrets: all trials share one Secret, which is deleted with the sweep's ConfigMap, and no
# value is in the journal.
. "$(dirname "$0")/lib.sh"
mkdir code
cat >code/train.sh <<'C'
echo "score=${#API_TOKEN}$1"
C
run() {
  "$KML" sweep run s1 --param x=1..3 --maximize score --trials "$1" --algorithm grid --parallel 1 --secret API_TOKEN --code code -- sh train.sh '{x}'
}
export API_TOKEN=hidden-value
expect 0 run 2
contains "$out" "trial 1 complete  score=122  x=2"
contains "$err" "code: 1 file"
! grep -r hidden-value "$XDG_STATE_HOME/kml/sweeps" || fail "the journal holds the secret"



# The sweep can continue with another value of the secret. If the sweep's Secrets are missing, kml says what
# to do.
export API_TOKEN=longer-hidden-value
expect 0 run 3
contains "$out" "trial 2 complete  score=193  x=3"
expect 0 "$KML" sweep resume s1
expect 0 "$KML" sweep best s1 -o yaml
contains "$out" "kml-sweep-s1"
[[ $out == "# needs Secret kml-code-"*", kml-sweep-s1 of the sweep: "* ]] || fail "$out"
contains "$err" "\`kml sweep delete s1\` deletes the sweep's Secrets, too"
echo "$out" >best.yaml
expect 0 "$KML" submit -f best.yaml --wait
secrets() { KUBECONFIG=$work/kubeconfig kubectl get secrets,configmaps -o name | grep -c kml- || true; }
"$KML" local kubeconfig >kubeconfig
[ "$(secrets)" = 3 ] || fail "$(secrets) objects of one sweep"
expect 0 "$KML" sweep delete s1
none() { [ "$(secrets)" = 0 ]; }
eventually none
contains "$out" "sweep s1 deleted"
expect 2 "$KML" sweep status s1

expect 0 "$KML" list
[[ $out != *s1-t* ]] || fail "its jobs are still there: $out"

# A Secret with that name from another sweep is left alone.
expect 0 run 1
mv "$XDG_STATE_HOME/kml/sweeps/s1" elsewhere
expect 1 run 1
contains "$err" "another sweep s1"
