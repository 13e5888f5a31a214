# For cases with packages: an image with uv, and $volume, the claim shared. All packages are wheels that are in the image.
get=$(dirname "${BASH_SOURCE[0]}")/../../support/get_uv
uv=$(bash "$get") || { echo "SKIPPED: uv cannot be installed"; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_volume shared ReadWriteMany
mkdir -p wheels -m 755 lib
mkdir -m 777 tmp
python3 "$SOURCE/tests/support/make_wheel.py" wheels tiny 1.0
python3 "$SOURCE/tests/support/make_wheel.py" wheels other 1.0
cp -rL /usr/lib/python3.11/*.py /usr/lib/python3.11/{collections,ctypes,encodings,importlib,json,lib-dynload,logging,re,urllib,venv} lib
find lib -name __pycache__ -prune -exec rm -r {} +
libraries=$(for file in /usr/bin/python3.11 lib/lib-dynload/*.so "$uv/uv"; do ldd "$file"; done | grep -o '/[^ ]*' | sort -u)
cluster image localhost/uv:1 /usr/bin/python3 /bin/busybox:bin/busybox /bin/busybox:bin/sh /usr/bin/python3.11:usr/bin/python3 \
  "$uv/uv:usr/bin/uv" "$work/lib:usr/lib/python3.11" "$work/wheels:wheels" "$work/tmp:tmp" $(sed 's#.*#&:&#' <<<"$libraries") >/dev/null
mkdir code
printf '# /// script\n# dependencies = ["tiny"]\n# ///\nimport sys, tiny\nprint("tiny", tiny.VERSION, "in", sys.prefix)\n' >code/train.py
export PATH=$uv:$PATH UV_OFFLINE=1
# start FLAG... -- COMMAND: submits a job that uses the wheels in the image
start() {
  UV_FIND_LINKS=$work/wheels expect 0 "$KML" submit --uv --code code --image localhost/uv:1 --env UV_FIND_LINKS=/wheels --env HOME=/tmp \
    --node-selector kubernetes.io/hostname=node1 "$@"
}
submit() { start --wait --timeout 1000s "$@" -- python train.py; }
