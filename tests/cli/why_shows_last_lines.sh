. "$(dirname "$0")/lib.sh"

# For a failed job, and for a job between two attempts, the verdict includes the last lines of its container.
cat >train.py <<'EOF'
print("epoch 1")
raise ValueError("no such data set")
EOF
expect 3 "$KML" submit --name bad --wait -- python3 train.py
expect 0 "$KML" why bad
contains "$out" "log       "
contains "$out" "ValueError: no such data set"
expect 0 "$KML" why bad -o json
contains "$out" '"ValueError: no such data set'
expect 0 "$KML" submit --name again --retries 3 -- python3 train.py
waits() { "$KML" why again | grep -q "ValueError"; }
eventually waits

# A healthy job has no such lines.
expect 0 "$KML" submit --name good --wait -- echo fine
expect 0 "$KML" why good
[[ "$out" != *"log  "* ]] || fail "$out"
