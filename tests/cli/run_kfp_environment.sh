# On this machine, the packages of a component of a compiled pipeline are in the store of `kml env`: they are installed
# once, listed with their versions, verified, installed again if they are damaged, and deleted by `kml env gc`.
. "$(dirname "$0")/lib.sh"
python3 -c 'import ensurepip, venv' || { echo "SKIPPED: python3 cannot make virtual environments"; exit 77; }
mkdir wheels
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
cat >pipeline.yaml <<EOF
components:
  comp-show:
    executorLabel: exec-show
    inputDefinitions: {parameters: {n: {parameterType: NUMBER_INTEGER}}}
    outputDefinitions: {parameters: {v: {parameterType: STRING}}}
deploymentSpec:
  executors:
    exec-show:
      container:
        image: python:3
        command:
        - sh
        - -c
        - |2

          PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install --quiet --no-index --find-links $work/wheels 'tiny==1.0' '--no-deps' && "\$0" "\$@"
        - python3
        - -c
        - |
          import sys, tiny
          try:
              import own
              tiny.VERSION += " and own"
          except ImportError:
              pass
          open(sys.argv[1], "w").write(tiny.VERSION)
        - "{{\$.outputs.parameters['v'].output_file}}"
        - "{{\$.inputs.parameters['n']}}"
pipelineInfo: {name: show}
root:
  dag:
    tasks:
      show:
        cachingOptions: {enableCache: true}
        componentRef: {name: comp-show}
        inputs: {parameters: {n: {componentInputParameter: n}}}
  inputDefinitions: {parameters: {n: {parameterType: NUMBER_INTEGER}}}
schemaVersion: 2.1.0
sdkVersion: kfp-2.17.3
EOF
n=0
run() { # runs the component again, for another parameter, and sets $log to its log
  n=$((n + 1))
  expect 0 "$KML" run pipeline.yaml --name "r$n" -p "n=$n"
  contains "$out" "v=${1-1.0}"
  log=$("$KML" run logs "r$n" show)
}
count() { "$KML" env list -o json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'; }

run
contains "$log" "installing the packages of the component"
expect 0 "$KML" env list -o json
python3 -c 'import json, sys; [one] = json.load(sys.stdin); assert one["versions"]["tiny"] == "1.0" and one["packages"] >= 2, one' <<<"$out"
expect 0 "$KML" env list
contains "$out" "$(python3 -c 'import platform; print(platform.python_version())')"
expect 0 "$KML" env verify
contains "$out" "is unchanged"
expect 0 "$KML" artifact lineage r1/show.v
contains "$out" "installs tiny==1.0"
run
[[ $log != *installing* ]] || fail "installed twice: $log"
contains "$log" "kml: environment $("$KML" env list -o 'jsonpath={[0].id}' | cut -c 1-12)"

# A damaged file is noticed, and the packages are installed again.
store=$XDG_STATE_HOME/kml/environments
file=$(ls "$store"/*/lib/python3*/site-packages/tiny.py)
chmod u+w "$file"
echo 'VERSION = "of somebody else"' >>"$file"
expect 1 "$KML" env verify
contains "$out" "is damaged: "
run
contains "$log" "cannot be used: "
contains "$log" "installing the packages of the component"
expect 0 "$KML" env verify

# Another Python has its own environment, which can import its packages.
python3 -m venv --without-pip caller
echo >"$(ls -d caller/lib/python3*/site-packages)/own.py"
PATH=$work/caller/bin:$PATH run '1.0 and own'
[ "$(count)" = 2 ] || fail "$("$KML" env list)"

expect 0 "$KML" env gc --older-than 0s
[ "$(count)" = 0 ] || fail "$("$KML" env list)"
run
contains "$log" "installing the packages of the component"
