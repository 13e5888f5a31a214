# A pipeline that came with a folder may describe work. If it uses the user's secrets, files outside its folder or
# similar, it is rejected until the user trusts the file's current content. No step runs before that. The files of
# runs and artifacts do not contain the secret.
. "$(dirname "$0")/lib.sh"
export TOKEN=t0ps3cret
mkdir project
cd project
: >code
pipeline() { # SETTINGS
  cat <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: strange}
spec:
  params: {where: {default: /etc}}
  defaults: {code: {paths: [code]}}
  steps:
    take:
      command: [sh, -c, 'echo "\$TOKEN" >>../ran']
      $1
Y
}
refused() { # SETTINGS TEXT
  pipeline "$1" >p.yaml
  for flags in "" --dry-run; do
    expect 2 "$KML" run p.yaml $flags
    contains "$err" "p.yaml is not trusted"
    contains "$err" "$2"
    contains "$err" "kml trust p.yaml"
  done
}
refused 'secrets: [TOKEN]' "sends your environment variable TOKEN"
refused 'mounts: ["host/etc:/e"]' "mounts a folder on the host"
# The file is also rejected if the path comes from a parameter.
refused 'mounts: ["host${params.where}:/e"]' "mounts a folder on the host"
refused 'env-from: [theirs]' "uses the secret theirs"
# Files from outside the folder and outputs of other runs are not sent to a cluster without trust.
kubeconfig_of_cluster
: >../key
ln -s ../key link
for input in '{path: ../key}' '{path: link}' '{artifact: mine}'; do
  pipeline "inputs: {key: $input}" >p.yaml
  expect 2 "$KML" --kubeconfig kubeconfig --context there run p.yaml
  contains "$err" "p.yaml is not trusted"
  contains "$err" "steps.take.inputs.key: sends"
done
# A served model that scales to zero has an activator, whose image and service account the file may name. The
# account needs trust.
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: strange}
spec:
  params: {who: {default: admin}}
  steps:
    model: {serve: {command: [python, serve.py], idle: 5m, engine-image: "theirs:1", engine-account: "${params.who}"}}
Y
expect 2 "$KML" --kubeconfig kubeconfig --context there run p.yaml
contains "$err" "uses the service account admin"
# Wherever kml is called, it uses the template beside the file. Trust in the file covers this template.
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: strange}
spec:
  params: {kind: {default: own}}
  steps: {take: {template: "./${params.kind}.yaml", command: [sh, -c, "echo $WHO >>../ran"]}}
Y
template() { "$KML" template show job | sed "s/^\( *\)- {name: PYTHONUNBUFFERED.*/&\n\1- {name: WHO, value: $1}/"; }
template reviewed >own.yaml
expect 2 "$KML" run p.yaml
contains "$err" "uses a template that is neither built in nor your own: ./own.yaml"
expect 0 "$KML" trust p.yaml
mkdir ../elsewhere
template stranger >../elsewhere/own.yaml
(cd ../elsewhere && expect 0 "$KML" run ../project/p.yaml)
[ "$(cat ../ran)" = reviewed ] || fail "the step used another template than the trusted one: $(cat ../ran)"
rm ../ran
"$KML" run list -o name | xargs -n 1 "$KML" run delete
template changed >own.yaml
expect 2 "$KML" run p.yaml
contains "$err" "p.yaml has changed since you trusted it"
[ ! -e ../ran ] || fail "it ran"
expect 0 "$KML" run list -o name
[ -z "$out" ] || fail "a run was begun: $out"

pipeline 'secrets: [TOKEN]' >p.yaml
expect 0 "$KML" trust p.yaml
contains "$out" "p.yaml trusted"
expect 0 "$KML" run p.yaml
[ "$(cat ../ran)" = t0ps3cret ] || fail "the step got: $(cat ../ran)"
run=$("$KML" run list -o name)
! grep -rl t0ps3cret "$XDG_STATE_HOME/kml/runs" "$XDG_STATE_HOME/kml/artifacts" || fail "the secret was written down"
# The result of a step that uses a secret is reused.
expect 0 "$KML" run p.yaml
contains "$out" "take cached"
# A changed file must be reviewed again. `kml run resume` accepts a run that began before.
pipeline 'secrets: [TOKEN, HOME]' >p.yaml
expect 2 "$KML" run p.yaml
contains "$err" "p.yaml has changed since you trusted it"
expect 0 "$KML" run resume "$run"
# A file that needs no trust runs without it.
pipeline 'env: {A: b}' >p.yaml
expect 0 "$KML" run p.yaml
