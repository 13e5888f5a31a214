. "$(dirname "$0")/lib.sh"

# A command that only a shell could run is rejected before anything is sent, with the correct form.
expect 2 "$KML" submit -- "python3 train.py --lr 0.1"
contains "$err" '"python3 train.py --lr 0.1" is not a program'
contains "$err" "kml submit -- python3 train.py --lr 0.1"
expect 2 "$KML" submit -- LR=0.1 SEED=1 python3 train.py
contains "$err" '"LR=0.1" is not a program'
contains "$err" "kml submit --env LR=0.1 --env SEED=1 -- python3 train.py"

echo 'print("hello")' >train.py
expect 2 "$KML" submit -- train.py --lr 1
contains "$err" "looked up in PATH, not in the working folder"
contains "$err" "-- python3 train.py --lr 1"
expect 2 "$KML" submit -- ./train.py
contains "$err" "the file is not executable"
contains "$err" "-- python3 ./train.py"
printf '#!/usr/bin/env python3\nprint("hello")\n' >train.py
chmod +x train.py
expect 0 "$KML" submit --follow -- ./train.py
contains "$out" "hello"

# The fix is the whole command line, with all corrections at once.
rm train.py
echo 'print("hello")' >train.py
fixed() { local want=$1; shift; expect 2 "$KML" "$@"; [ "$(sed -n 's/^  fix: //p' <<<"$err")" = "$want" ] || fail "$*: $err"; }
fixed "kml submit --env FOO=1 -- python3 train.py" submit FOO=1 train.py
fixed "kml submit --env FOO=1 -- python3 train.py" submit FOO=1 -- train.py
fixed "kml submit --gpus 1 --env FOO=1 -- python3 train.py --lr 2" submit --gpus 1 -- 'FOO=1 train.py --lr 2'
fixed "kml submit --gpus 1 --name x --env 'A=b c' -- python train.py --lr 2" submit --gpus 1 'A=b c' python train.py --lr 2 --name x
fixed "kml submit -- sh -c 'python train.py | tail'" submit -- 'python train.py | tail'
fixed "kml submit -- sh -c 'A=\"b c\" python train.py'" submit -- 'A="b c" python train.py'
fixed "kml submit --array 0-9 -- sh -c 'python train.py \"data/\$KML_TASK.csv\" --lr 1'" \
  submit --array 0-9 -- python train.py 'data/$KML_TASK.csv' --lr 1
contains "$err" "the tasks would not get their numbers"
fixed "kml submit --array 0-9 -- sh -c 'python3 train.py \"\$KML_TASK\"'" submit --array 0-9 -- train.py '$KML_TASK'
fixed "kml submit -- sh -c 'cd /data && python train.py --lr 1'" submit -- cd /data '&&' python train.py --lr 1
contains "$err" '"cd" is for a shell'
fixed "kml submit -- sh -c 'python train.py '\\''a b'\\'' 2>&1 || echo failed'" submit -- python train.py 'a b' '2>&1' '||' echo failed
contains "$err" '"2>&1" is for a shell'
fixed "kml submit --array 0-9 -- sh -c 'python prepare.py && python t.py \"\$KML_TASK\"'" \
  submit --array 0-9 -- python prepare.py '&&' python t.py '$KML_TASK'
expect 0 "$KML" submit --follow -- printf '%s-%s' '|' ';'
contains "$out" "|-;"
fixed "kml submit --name bert -- python train.py" submit bert -- python train.py
fixed "kml submit --lr 1 -- python train.py" submit --lr 1 python train.py
fixed "kml sweep run s --param lr=1,2 --minimize loss --env FOO=1 -- python t.py '{args}'" \
  sweep run s --param lr=1,2 --minimize loss -- FOO=1 python t.py '{args}'
fixed "kml dev --env FOO=1 -- python train.py" dev FOO=1 python train.py
fixed "kml exec bert -- python --version" exec bert python --version
fixed "kml config alias ll -- list --mine" config alias ll list --mine
rm train.py

# A program name with a space is allowed.
printf '#!/usr/bin/env python3\nprint("hello")\n' >"a program"
chmod +x "a program"
expect 0 "$KML" submit --follow -- "./a program"
contains "$out" "hello"
expect 0 "$KML" submit --follow -- sh -c 'A=1; echo $A' x=1
contains "$out" "1"

# --env NAME uses the value in kml's own environment.
export KIND=blue
expect 0 "$KML" submit --follow --env KIND --env OTHER=red -- sh -c 'echo "$KIND $OTHER"'
contains "$out" "blue red"
expect 2 "$KML" submit --env NOT_THERE -- true
contains "$err" "your environment has no variable NOT_THERE"
