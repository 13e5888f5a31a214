. "$(dirname "$0")/lib.sh"

cat >train.sh <<'EOF'
echo "lr=$2 $3 mode=$MODE on ${KML_TEST_SECRET:-nothing}"
EOF
export KML_TEST_SECRET=hidden
expect 0 "$KML" submit --name first --env MODE=slow --secret KML_TEST_SECRET --wait -- sh train.sh --lr 0.5 steps=3

# Submits the same job again, under a name that the user chose.
expect 0 "$KML" rerun first --name second --follow
contains "$out" "lr=0.5 steps=3 mode=slow on hidden"
expect 0 "$KML" list -o name
contains "$out" "job.batch/second"

# Reruns the job with a changed argument, a changed variable, and a changed command.
expect 0 "$KML" rerun second --name third --set-arg lr=0.1 --set-arg steps=7 --env MODE=fast --follow
contains "$out" "lr=0.1 steps=7 mode=fast on hidden"
expect 0 "$KML" status third
contains "$out" "sh train.sh --lr 0.1 steps=7"
expect 0 "$KML" rerun third --name fourth --follow -- sh -c 'echo "now $MODE"'
contains "$out" "now fast"
expect 0 "$KML" history
contains "$out" "now"

# Replacing an argument that the command does not have is an error.
expect 2 "$KML" rerun first --set-arg leraning=1
contains "$err" 'has no argument "leraning"'
contains "$err" 'its arguments are lr, steps; or give the complete command'
expect 2 "$KML" rerun first --set-arg step=4
contains "$err" 'did you mean "steps"'
expect 2 "$KML" rerun first --set-arg lr
contains "$err" "is not of the form NAME=VALUE"
expect 2 "$KML" rerun first --array 0-3
contains "$err" "--array"

# A sweep does not have the flag --array.
expect 0 "$KML" sweep run --help
[[ "$out" != *"--array"* ]] || fail "$out"
