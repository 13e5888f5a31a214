. "$(dirname "$0")/lib.sh"
# A file describes a kind of job: kml checks the file, prints the state that the file gives a job, and prefers
# the file to kml's own description.
kinds=$XDG_CONFIG_HOME/kml/kinds
[ -n "${XDG_CONFIG_HOME:-}" ] || kinds=$HOME/.config/kml/kinds
mkdir -p "$kinds"
cat >"$kinds/training.yaml" <<'Y'
apiVersion: example.com/v1
kind: Training
podLabel: {key: example.com/training}
podTemplates: [{path: "spec.groups[*].template", count: size}]
states:
  succeeded: status.phase == "Done"
  running: status.active > 0
suspend: {patch: {spec: {paused: true}}}
Y
expect 0 "$KML" kind list
[[ $out =~ Training\ +training/NAME\ +example.com/v1\ +$kinds/training.yaml ]] || fail "$out"
expect 0 "$KML" kind check
contains "$out" "training.yaml: ok"
object() { printf 'apiVersion: example.com/v1\nkind: Training\nmetadata: {name: t}\nspec: {groups: [{size: 2, template: {}}]}\nstatus: {%s}\n' "$1" >t.yaml; }
object 'phase: Done'
expect 0 "$KML" kind check training --on t.yaml
contains "$out" "state: Succeeded"
contains "$out" "pods: example.com/training=t"
contains "$out" "pod template: spec.groups[0].template"
object 'active: many'
expect 0 "$KML" kind check training --on t.yaml
contains "$out" 'state: Unknown: `running: status.active > 0` of kind Training cannot be evaluated: column 15'

# Without the key "states", the usual conditions determine the state, even in `kml kind check`.
object 'conditions: [{type: Complete, status: "True"}]'
sed '/^states:/,/^  running/d' "$kinds/training.yaml" >plain.yaml
expect 0 "$KML" kind check ./plain.yaml --on t.yaml
contains "$out" "state: Succeeded"
object 'phase: Done'
# The object must be of the described kind.
for other in '' 'apiVersion: example.com/v1\nkind: Other\n' 'apiVersion: other.com/v1\nkind: Training\n'; do
  printf "$other" >other.yaml
  expect 2 "$KML" kind check training --on other.yaml
  contains "$err" "other.yaml does not contain an object of the described kind"
done
# Each kind has one description, in a file with either ending.
cp "$kinds/training.yaml" "$kinds/twice.yml"
expect 2 "$KML" kind check
contains "$err" "training.yaml already describes Training of example.com/v1"
rm "$kinds/twice.yml"
printf 'apiVersion: example.com/v1\nkind: Other\nword: job\npodLabel: {key: x}\n' >other.yaml
expect 2 "$KML" kind check ./other.yaml
contains "$err" "cannot have the word job"

# The embedded server has no controller for a kind that only a file describes.
expect 2 "$KML" submit -f t.yaml
contains "$err" "the embedded server cannot run Trainings"

# A faulty file is named, and changes nothing else.
printf 'apiVersion: example.com/v1\nkind: Other\npodLabel: {key: x}\nstates: {runing: a == 1}\n' >"$kinds/other.yaml"
expect 2 "$KML" kind check
contains "$err" 'other.yaml:4:10: "runing" is not a state'
expect 0 "$KML" list
contains "$err" 'warning: the description of a kind is ignored'
rm "$kinds/other.yaml"
printf 'apiVersion: batch/v1\nkind: Job\npodLabel: {key: x}\n' >"$kinds/job.yaml"
expect 0 "$KML" kind list
contains "$err" "cannot be described"
rm "$kinds/job.yaml"

# A user can change a copy of kml's own description. The copy then replaces kml's own.
expect 0 "$KML" kind show rayjob
cp "$work/out" own.yaml
sed 's/word: .*//; s/^kind: RayJob/&\nword: rj/' own.yaml >"$kinds/rayjob.yaml"
expect 0 "$KML" kind list
contains "$out" "rj/NAME"
expect 2 "$KML" kind show pytorchjob
contains "$err" "no file describes the kind PyTorchJob"
expect 2 "$KML" kind show rayjb
contains "$err" 'no kind "rayjb"'

# In an argument such as rj/none, the word from the file stands for the kind.
expect 1 "$KML" status rj/none
