# With `kml sync` and `kml dev --sync`, the pod's folder gets the code of a local folder, and each file that
# changes later; deletions only with --delete.
. "$(dirname "$0")/lib.sh"
kml() { timeout 1000 "$KML" "$@"; }
there=$work/there
mkdir -p code/src code/data
git -C code init -q
printf 'data/\n*.log\n' >code/.gitignore
echo 1 >code/train.py
echo 1 >"code/src/a b \\ ü.py"
echo large >code/data/set
echo line >code/run.log
ln -s train.py code/link
ln -s /etc/passwd code/outward
echo '#!/bin/sh' >code/run.sh && chmod +x code/run.sh
# equal: whether the pod has the code, and no files that git ignores.
equal() { diff -r -x .git -x data -x '*.log' -x outward -x own code "$there" >difference 2>&1; }

expect 0 kml submit --name j --retries 3 -- sh -c "until rm '$work/fails'; do sleep 0.1; done 2>/dev/null; exit 1"
expect 0 kml wait j --for=running
expect 0 kml sync --once code "j:$there"
contains "$err" "skipped link outward: it leads out of the folder, to /etc/passwd"
[[ "$err" == *"5 of 5 files sent to j/"*":$there"* ]] || fail "$err"
equal || fail "$(cat difference)"
[ ! -e "$there/data" ] && [ ! -e "$there/run.log" ] && [ ! -L "$there/outward" ] || fail "it sent too much: $(ls -A "$there")"
[ -x "$there/run.sh" ] && [ "$(readlink "$there/link")" = train.py ] || fail "$(ls -l "$there")"
echo changed >"$there/train.py"
expect 0 kml sync --once code "j:$there"
contains "$err" "2 of 5 files sent" # and the link, which has no sum
equal || fail "$(cat difference)"

# While kml sync runs, it sends changes: contents, modes, new folders, names; nothing is deleted.
"$KML" sync code "j:$there" 2>notes & sync=$!
eventually grep -q "1 of 5 files sent" notes
echo 2 >code/train.py
eventually equal
mkdir -p code/new/deep
echo 1 >code/new/deep/file
eventually equal
echo 2 >code/new/deep/file
mv code/new code/moved
echo 3 >code/moved/deep/file
is_moved() { [ "$(cat "$there/moved/deep/file" 2>/dev/null)" = 3 ]; }
eventually is_moved
chmod -x code/run.sh
has_lost_its_mode() { [ ! -x "$there/run.sh" ]; }
eventually has_lost_its_mode
echo own >"$there/own"
rm code/src/*
echo 4 >code/train.py
is_four() { [ "$(cat "$there/train.py")" = 4 ]; }
eventually is_four
[ -e "$there/src/a b \\ ü.py" ] && [ -e "$there/new/deep/file" ] || fail "a sync without --delete deleted something"

# The next pod's files are compared again.
touch fails
while [ -e fails ]; do sleep 0.05; done
rm "$there/train.py"
eventually is_four
kill -INT $sync
wait $sync && fail "a signal ended it without 130" || [ $? = 130 ]

# The files of a local job are on this machine, so a copy inside the folder would itself be copied.
expect 2 kml sync code "j:$work/code/copy"
contains "$err" "in the folder itself"
expect 0 kml dev other --sync code <<<exit
contains "$err" "uses this machine's files"

# With --delete, files deleted here are deleted in the pod, and no others.
mkdir -p code/src
echo 1 >code/src/x
"$KML" sync --delete code "j:$there" 2>notes & sync=$!
eventually test -e "$there/src/x"
eventually grep -q "files sent" notes
rm -r code/src code/link
is_deleted() { [ ! -e "$there/src/x" ] && [ ! -L "$there/link" ]; }
eventually is_deleted
[ -e "$there/own" ] && [ -e "$there/src/a b \\ ü.py" ] || fail "it deleted what it had not sent"

# kml sync ends when the job ends. Files that cannot be copied are reported.
expect 0 kml cancel j
wait $sync && fail "it goes on after the job" || [ $? = 1 ]
contains "$(cat notes)" "has ended"
expect 1 kml sync code "j:$there"
expect 2 kml sync code other
contains "$err" "JOB[/RANK]:PATH"
expect 2 kml sync nowhere "j:$there"
contains "$err" "nowhere is not a folder"

# A session gets the code before its shell starts, and later changes as long as the shell is open.
expect 0 kml dev --sync "code:$work/session" <<<"cat '$work/session/train.py'; echo 5 >'$work/code/train.py'
  until [ \"\$(cat '$work/session/train.py')\" = 5 ]; do sleep 0.1; done; echo seen"
contains "$out" $'4\nseen'
expect 2 kml dev --sync code --detach
contains "$err" "kml sync FOLDER NAME:PATH"
