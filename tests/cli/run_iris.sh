# The example with scikit-learn on this machine: load, train, evaluate and deploy; two runs compared, one served.
. "$(dirname "$0")/lib.sh"
cache=${KML_TEST_CACHE:-/var/tmp/kml-tests}/scikit-learn
[ -e "$cache/ready" ] || {
  rm -rf "$cache" && python3 -m venv "$cache" &&
    "$cache/bin/pip" install -q --disable-pip-version-check scikit-learn==1.5.2 numpy==1.26.4 scipy==1.14.1 && touch "$cache/ready"
} || fail "cannot install scikit-learn: PyPI is needed once"
export PATH=$cache/bin:$PATH
cp -r "$SOURCE/examples/iris" . && cd iris
expect 0 "$KML" run pipeline.yaml -p deploy_to="$work/model" --name first
contains "$out" "accuracy=0.9"
[ -s "$work/model/model.pickle" ] || fail "nothing was deployed"
expect 0 "$KML" run pipeline.yaml -p deploy_to="$work/model"
[ "$(grep -c cached <<<"$out")" = 4 ] || fail "not all is cached: $out"

# A new comment makes a step run again. It makes the same model, so the following steps do not run.
echo '# the same again' >>train.py
expect 0 "$KML" run pipeline.yaml -p deploy_to="$work/model" --dry-run
contains "$out" "train       RUN   train.py changed"
expect 0 "$KML" run pipeline.yaml -p deploy_to="$work/model"
contains "$out" "train done"
contains "$out" "evaluate cached"

# Another run is compared with the first one, and its model is served.
expect 0 "$KML" run pipeline.yaml -p deploy_to="$work/model" -p trees=1 --name few
expect 0 "$KML" runs compare first few
[[ $out =~ evaluate.accuracy\ +0.9 && $out =~ trees\ +100\ +1 && $out == *"train.model"* ]] || fail "$out"
[[ $out != *load* ]] || fail "what is equal is shown: $out"
expect 0 "$KML" serve iris --input model=first/train.model --ready / --probe '{"x": [5.1, 3.5, 1.4, 0.2]}' -- python serve.py '${in.model}'
contains "$out" '{"kind": "setosa"}'
expect 0 curl -sS --max-time 1000 -d '{"x": [6.7, 3.0, 5.2, 2.3]}' "$(head -n 1 <<<"$out")"
[ "$out" = '{"kind": "virginica"}' ] || fail "$out"
