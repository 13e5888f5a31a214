# `kml cp` copies files and folders both ways, with unusual names, and keeps modes, times and links within the folder. It does
# so with coreutils, with busybox, and without tar and sha256sum.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
tree() { (cd "$1" && find . -type f -exec stat -c '%n %a %s %Y' {} + -o -type d -exec stat -c '%n %a' {} + -o -printf '%p -> %l\n') | sort; }
same() { # FOLDER FOLDER
  diff -r --no-dereference "$1" "$2" && [ "$(tree "$1")" = "$(tree "$2")" ] ||
    fail "$1 and $2 differ: $(diff <(tree "$1") <(tree "$2"))"
}
tools() { # FOLDER TOOL...: a PATH with these tools alone
  mkdir "$1"
  for tool in "${@:2}"; do ln -s "$(type -P "$tool")" "$1/$tool"; done
}
start() { # NAME PATH
  expect 0 "$KML" submit --image none --name "$1" --env "PATH=$2" -- "$(type -P sleep)" 10000
  eventually "$KML" exec "$1" -- "$(type -P true)"
}

mkdir -p 'tree/a b/deep' tree/empty tree/many
echo one >tree/one
: >tree/zero
: >tree/many/-
head -c 5000001 /dev/urandom >tree/large
printf x >$'tree/a b/new\nline'
printf y >'tree/a b/back\slash'
printf z >$'tree/a b/\xff\'"$(touch evil)'
head -c 5000001 /dev/urandom >$'tree/a b/deep/large\nline'
ln -s ../one 'tree/a b/link'
ln -s nowhere tree/dangling
echo 7 >tree/many/7
chmod 640 tree/one
chmod 700 tree/large
chmod 750 'tree/a b'
touch -d @1700000000 tree/one tree/large 'tree/many/7'
cp -a tree given
ln -s /etc/passwd given/outward
ln -s ../.. 'given/a b/upward'
mkfifo given/pipe
mkdir thousand
for i in $(seq 1000); do echo "$i" >"thousand/$i"; done

start bert "$PATH"
tools few find xargs stat dd cksum cat head sh mkdir rm mv chmod touch ln readlink
start few "$work/few"
jobs='bert few'
if busybox true 2>/dev/null; then
  mkdir box
  for tool in $(busybox --list); do ln -s "$(command -v busybox)" "box/$tool"; done
  start box "$work/box"
  jobs+=' box'
fi
for job in $jobs; do
  mkdir $job-there $job-here
  expect 0 timeout 1000 "$KML" cp given "$job:$work/$job-there"
  contains "$err" "skipped link outward: it leads out of the folder, to /etc/passwd"
  contains "$err" "skipped link a b/upward"
  contains "$err" "skipped pipe"
  case $job in few) sum=cksum ;; *) sum=sha256sum ;; esac
  contains "$err" "copied 9 files, 9 MiB, to $job"
  contains "$err" "$sum is equal on both sides"
  same tree $job-there/given
  expect 0 timeout 1000 "$KML" cp "$job:$work/given" $job-here/
  contains "$err" "skipped link outward"
  contains "$err" "$sum is equal on both sides"
  [ -z "$out" ] || fail "printed: $out"
  same tree $job-here/given
  # Copies into an existing folder: other files stay, and files with the same name are replaced.
  for side in there here; do
    echo old >$job-$side/given/one
    echo other >$job-$side/given/other
    rm -r $job-$side/given/many
  done
  expect 0 timeout 1000 "$KML" cp given "$job:$work/$job-there/"
  expect 0 timeout 1000 "$KML" cp "$job:$work/given" $job-here
  for side in there here; do
    [ "$(cat $job-$side/given/other)" = other ] || fail "$job: another file is gone"
    rm $job-$side/given/other
    same tree $job-$side/given
  done
  [ -z "$(find $job-there $job-here -name '*.kml-part')" ] || fail "parts are left"
  [ ! -e evil ] || fail "a name was run"

  # Copies many files at once.
  expect 0 timeout 1000 "$KML" cp thousand "$job:$work/$job-there/"
  expect 0 timeout 1000 "$KML" cp "$job:$work/thousand" $job-here
  same thousand $job-there/thousand
  same thousand $job-here/thousand

  # Copies a single file, under another name and into a folder.
  expect 0 timeout 1000 "$KML" cp given/one "$job:$work/$job-there/uno"
  expect 0 timeout 1000 "$KML" cp "$job:$work/given/large" $job-here/grande
  expect 0 timeout 1000 "$KML" cp given/one given/large "$job:$work/$job-there"
  expect 0 timeout 1000 "$KML" cp "$job:$work/given/one" "$job:$work/given/zero" $job-here
  cmp tree/one $job-there/uno && cmp tree/large $job-here/grande && cmp tree/large $job-there/large &&
    cmp tree/one $job-here/one && cmp tree/zero $job-here/zero || fail "$job: a file differs"
  [ "$(stat -c '%a %Y' $job-there/uno $job-here/grande)" = $'640 1700000000\n700 1700000000' ] || fail "modes and times"
done

# Tries files that do not exist, or cannot be replaced.
expect 1 timeout 1000 "$KML" cp "bert:$work/nothing" .
contains "$err" "no file or folder bert/"
expect 1 timeout 1000 "$KML" cp given/one "bert:$work/nothing/one"
contains "$err" "mkdir -p $work/nothing"
expect 1 timeout 1000 "$KML" cp nothing "bert:$work"
contains "$err" "cannot read nothing"
mkdir -p folder/one
expect 2 timeout 1000 "$KML" cp "bert:$work/given/one" folder
contains "$err" "cannot replace the folder folder/one with a file"
mkfifo pipe
expect 2 timeout 1000 "$KML" cp "bert:$work/given/one" pipe
contains "$err" "it is a pipe, a socket or a device"
expect 1 timeout 1000 "$KML" cp given/one "bert:$work/folder"
contains "$err" "one is a folder"
expect 2 "$KML" cp given/one folder
contains "$err" "a source and the target are both on this machine"
expect 2 "$KML" cp bert:one few:one
contains "$err" "a source and the target are both in a pod or on a claim"
expect 1 timeout 1000 "$KML" cp gone:one .
contains "$err" 'no job "gone"'

# Uses an image without a shell, and one without some of the tools that copying needs.
start bare "$work/nothing"
expect 1 timeout 1000 "$KML" cp bare:one .
contains "$err" "no \`sh\`"
contains "$err" "pvc/NAME/PATH"
tools less sh stat dd cat
start less "$work/less"
expect 1 timeout 1000 "$KML" cp less:one .
contains "$err" "its image does not have find, xargs, sha256sum"

# TAB offers jobs and files.
expect 0 "$KML" __complete -- cp be
contains "$out" "bert:"
expect 0 "$KML" __complete -- cp fol
[ "$out" = files ] || fail "offered: $out"
expect 0 "$KML" __complete -- cp ./
[ "$out" = files ] || fail "offered: $out"
