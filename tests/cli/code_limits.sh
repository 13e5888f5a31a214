. "$(dirname "$0")/lib.sh"
mkdir code
expect 2 "$KML" submit --code code --dry-run -- true
contains "$err" "no files in"
expect 2 "$KML" submit --code missing --dry-run -- true
contains "$err" "is not a folder"
# Outside a git repository, caches are left out.
mkdir code/__pycache__ && echo x >code/__pycache__/a.pyc && echo x >code/a.py
expect 0 "$KML" submit --code code --dry-run=server -- true
[[ "$err" =~ "code: 1 file, "[0-9]+" B compressed" ]] || fail "$err"
# The code does not fit into one Secret.
head -c 2500000 /dev/urandom >code/weights
expect 0 "$KML" submit --code code --wait -- cmp weights "$work/code/weights"
contains "$err" "code: 2 files, 2 MiB compressed"
# The code exceeds the limit for all Secrets together.
head -c 17000000 /dev/urandom >code/data.bin
expect 2 "$KML" submit --code code -- true
contains "$err" "16 MiB"
contains "$err" "data.bin 16 MiB, weights 2 MiB"
contains "$err" "--mount pvc/NAME:/data"
