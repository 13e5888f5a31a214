# -o jsonpath= and -o custom-columns= print the same as a real kubectl for the same objects.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
for name in one two three; do
  cat <<YAML
---
apiVersion: batch/v1
kind: Job
metadata:
  name: $name
  labels: {team: t-$name, "example.com/x.y": dotted}
  annotations: {note: "a<b & \"c\" ü"}
spec:
  suspend: true
  parallelism: ${#name}
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: none, command: [echo, a, b], env: [{name: A, value: "1"}, {name: B, value: x y}]}
      - {name: side, image: none, command: ["true"]}
YAML
done >jobs.yaml
expect 0 "$KML" submit -f jobs.yaml
# Both lists are sorted by name: kubectl does this by itself, kml with a flag.
same_list() {
  kubectl get jobs -o "$1" >theirs 2>theirs.err || fail "kubectl: $1: $(cat theirs.err)"
  "$KML" list --sort name -o "$1" >ours 2>ours.err || fail "kml: $1: $(cat ours.err)"
  cmp -s ours theirs || fail "$1"$'\n'"kubectl: $(cat theirs)"$'\n'"kml:     $(cat ours)"
}
same_object() {
  kubectl get job one -o "$1" >theirs 2>theirs.err || fail "kubectl: $1: $(cat theirs.err)"
  "$KML" status one -o "$1" >ours 2>ours.err || fail "kml: $1: $(cat ours.err)"
  cmp -s ours theirs || fail "$1"$'\n'"kubectl: $(cat theirs)"$'\n'"kml:     $(cat ours)"
}
count=0
while IFS= read -r template; do
  same_list "jsonpath=$template"
  count=$((count + 1))
done <<'TEMPLATES'
{.items[*].metadata.name}
{.items[0].metadata.name}
{.items[-1].metadata.name}
{.items[-1:].metadata.name}
{.items[0:2].metadata.name}
{.items[::2].metadata.name}
{.items[:].metadata.name}
{.items[1:1].metadata.name}
{.items[0,2].metadata.name}
{.items[*]['metadata.name', 'spec.parallelism']}
{range .items[*]}{.metadata.name}{"\t"}{.spec.parallelism}{"\n"}{end}
{range .items[*]}{.metadata.name}:{range .spec.template.spec.containers[*]} {.name}{end};{end}done
{range .items[*]}[{.metadata.name}, {.spec.suspend}] {end}
{range .nothing[*]}{.a}{range .b[*]}x{end}{end}after
{range .items[*]}{range .spec.nothing[*]}{.name}{end}{.metadata.name}{" "}{end}
{.items[?(@.metadata.name=="two")].spec.parallelism}
{.items[?(@.metadata.name!='two')].metadata.name}
{.items[?(@.spec.parallelism>3)].metadata.name}
{.items[?(@.spec.parallelism<=3)].metadata.name}
{.items[?(@.spec.suspend==true)].metadata.name}
{.items[?(@.spec.nothing)].metadata.name}
{.items[?(@.spec.suspend)].metadata.name}
{.items[?(@.metadata.labels.team == "t-one")].metadata.name}
{.items[*].spec.template.spec.containers[?(@.name=="main")].env[*].value}
{.items[*].spec..image}
{$.items[0].metadata.name}
{.items[0].metadata.labels.example\.com/x\.y}
{.items[0].metadata.labels['example\.com/x\.y']}
{.items[0].metadata.annotations}
{.items[0].metadata.annotations.note}
{.items[0].spec.template.spec.containers[0].command}
{.items[*].nothing.at.all}
plain text {.kind} and {"quoted \"text\" \\ 'x'"} {'single'}
{.items[0].metadata['name']}{3}{1.5}{true}
{.items[*].spec.template.spec.containers[*].env[*]}
{.items[0].spec.template.spec.containers[*].image}
TEMPLATES
[ $count -gt 32 ] || fail "only $count templates were read"
for columns in NAME:.metadata.name 'NAME:.metadata.name,N:.spec.parallelism,IMAGES:.spec.template.spec.containers[*].name' \
  'NAME:metadata.name,TEAM:{.metadata.labels.team},NONE:.spec.nothing' 'A:.metadata.annotations,NOTE:.metadata.annotations.note' \
  'CMD:.spec.template.spec.containers[0].command,S:.spec.suspend' 'ENV:.spec.template.spec.containers[*].env'; do
  same_list "custom-columns=$columns"
  same_object "custom-columns=$columns"
done
kubectl get jobs --no-headers -o custom-columns=NAME:.metadata.name >theirs
"$KML" list --sort name --no-headers -o custom-columns=NAME:.metadata.name | cmp - theirs || fail "with --no-headers"
for template in '{.metadata.name}' '{.spec.parallelism}' '{.spec.template.spec.containers[0]}' '{.spec.template.spec.containers[*].name}' '{@}'; do
  [ "$template" = '{@}' ] || same_object "jsonpath=$template"
done

# An invalid template is rejected before any request. A template that does not match the object fails, as in kubectl.
for template in '{.items[*}' '{.items' '{.items[?(@.a=="b"]}' '{.items[x]}' '{....a}' '{"open}' '{#}' ''; do
  kubectl get jobs -o "jsonpath=$template" >/dev/null 2>&1 && fail "kubectl takes $template"
  expect 2 "$KML" list -o "jsonpath=$template"
  contains "$err" "JSONPath template"
done
for template in '{.items[7]}' '{.kind[0]}' '{.items[?(@.spec.parallelism=="a")]}' '{end}' '{nonsense}' '{.items[2:1]}'; do
  kubectl get jobs -o "jsonpath=$template" >/dev/null 2>&1 && fail "kubectl takes $template"
  expect 1 "$KML" list -o "jsonpath=$template"
done
for columns in '' 'NAME' 'NAME:' ':.a' 'A:.b,'; do
  expect 2 "$KML" list -o "custom-columns=$columns"
done
expect 2 "$KML" list -o jsn
contains "$err" 'did you mean "json"'

# Lists of kml's own values also support -o jsonpath= and -o custom-columns=.
expect 0 "$KML" queue -o 'jsonpath={[*].name}'
contains "$out" two
expect 0 "$KML" queue -o custom-columns=JOB:.name,STATE:.state
contains "$out" "one "
expect 0 "$KML" why one -o 'jsonpath={.cause.code}'
[ "$out" = suspended ] || fail "$out"
