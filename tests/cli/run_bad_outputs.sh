# If an output cannot be stored, its step fails with the reason: a missing output, a link out of the tree, a pipe.
# Unusual outputs are stored: names with newlines and quotes, empty folders, links inside the tree. Nothing from a
# failed step is used later.
. "$(dirname "$0")/lib.sh"
: >code
# step COMMAND [KIND]: writes a pipeline with a step that runs COMMAND and makes the output "tree", and a step that
# reads it.
step() {
  cat >p.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: odd}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    make:
      command: [bash, -c, '$1', "\${out.tree}"]
      outputs: {tree: ${2:-folder}}
    read:
      inputs: {tree: make.tree}
      command: [sh, -c, 'find "\$0" >found; cp -a "\$0" copy', "\${in.tree}"]
Y
}
step 'true'
expect 3 "$KML" run p.yaml
contains "$out" "make failed"
contains "$out" "did not write output tree: nothing exists at "
step 'mkdir "$0"; ln -s ../../../.. "$0"/up'
expect 3 "$KML" run p.yaml
contains "$out" '"up" is a link to "../../../..", which is outside of the folder'
step 'mkdir "$0"; ln -s /etc/passwd "$0"/users'
expect 3 "$KML" run p.yaml
contains "$out" 'is a link to "/etc/passwd", which is an absolute path'
step 'echo x >"$0"'
expect 3 "$KML" run p.yaml
contains "$out" "output tree is a file, but its kind is folder"
step 'mkdir "$0"' file
expect 3 "$KML" run p.yaml
contains "$out" "output tree is a folder, but its kind is file"
step 'mkdir "$0"; mkfifo "$0"/pipe'
expect 3 "$KML" run p.yaml
contains "$out" 'cannot keep output tree: "pipe" is a named pipe'
[ ! -e found ] || fail "the second step ran"
# Tests a value that was not written, and a metric that was not logged.
step 'true' value
sed -i '/^    read:/,$d' p.yaml
expect 3 "$KML" run p.yaml
contains "$out" "did not write output tree"
step 'head -c 65537 /dev/zero >"$0"' value
sed -i '/^    read:/,$d' p.yaml
expect 3 "$KML" run p.yaml
contains "$out" "output tree is too long for a value: it has 65537 bytes; a value may have at most 65536"
step 'true' '{metric: score}'
sed -i -e '/^    read:/,$d' -e 's/, "${out.tree}"//' p.yaml
expect 3 "$KML" run p.yaml
contains "$out" "logged no score"

step 'mkdir -p "$0/empty" "$0/a b/c"; touch "$0/line
break" "$0/quote\"s" "$0/back\\slash" "$0/"$(printf "\377"); ln -s "a b/c" "$0/link"; echo x >"$0/a b/c/x"'
expect 0 "$KML" run p.yaml
[ -d copy/empty ] && [ -e "copy/link/x" ] && [ "$(find copy -print0 | tr -cd '\0' | wc -c)" = 10 ] || fail "copied: $(find copy)"
expect 0 "$KML" run p.yaml
contains "$out" "make cached"
contains "$out" "read cached"
# If a file of a step's output is missing or changed, the step runs again; kml says so.
tree=$(find "$XDG_STATE_HOME/kml/artifacts/data" -name tree -type d -exec test -e {}/empty \; -print | tail -1)
chmod -R u+w "$tree"
rm "$tree/a b/c/x"
expect 0 "$KML" run p.yaml --dry-run
contains "$out" "its output tree is gone, or was changed"
expect 0 "$KML" run p.yaml
contains "$out" "make done"
contains "$out" "read cached"

# Steps that write the same file on this machine do not run at the same time.
cat >same.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: same}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    make:
      foreach: {n: [1, 2, 3]}
      command: [sh, -c, 'echo ${item.n} >out.txt; sleep 0.3; test "$(cat out.txt)" = ${item.n}']
      outputs: {made: {path: out.txt, kind: file}}
    all:
      inputs: {made: make.made}
      command: [sh, -c, 'cat "$@"', sh, {$splice: "${in.made}"}]
Y
expect 0 "$KML" run same.yaml --name same
expect 0 "$KML" run logs same all
[ "$out" = $'1\n2\n3' ] || fail "$out"

# A value is a number in conditions, and elsewhere the text that the step wrote.
cat >version.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: version}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    make: {command: [sh, -c, 'echo 1.10 >${out.v}'], outputs: {v: value}}
    use: {when: 'make.v < 1.2 && make.v == "1.10" && make.v != "1.1"', inputs: {v: make.v}, command: [echo, "${in.v}"]}
Y
expect 0 "$KML" run version.yaml --name version
contains "$out$err" "v=1.10"
expect 0 "$KML" run logs version use
[ "$out" = 1.10 ] || fail "$out"
expect 0 "$KML" artifact get version/make.v
[ "$out" = 1.10 ] || fail "$out"
