. "$(dirname "$0")/lib.sh"

# A command that only a shell could run is refused before anything is sent, with the correct form.
expect 2 "$KML" submit -- "python3 train.py --lr 0.1"
contains "$err" '"python3 train.py --lr 0.1" is not a program'
contains "$err" "without the quotes: -- python3 train.py --lr 0.1"
expect 2 "$KML" submit -- LR=0.1 SEED=1 python3 train.py
contains "$err" '"LR=0.1" is not a program'
contains "$err" "kml submit --env LR=0.1 --env SEED=1 -- python3 train.py"

echo 'print("hello")' >train.py
expect 2 "$KML" submit -- train.py --lr 1
contains "$err" "searched in PATH, not in the working folder"
contains "$err" "-- python3 train.py --lr 1"
expect 2 "$KML" submit -- ./train.py
contains "$err" "the file is not executable"
contains "$err" "-- python3 ./train.py"
printf '#!/usr/bin/env python3\nprint("hello")\n' >train.py
chmod +x train.py
expect 0 "$KML" submit --follow -- ./train.py
contains "$out" "hello"

# A program name with a space is allowed.
cp train.py "./a program"
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
