# Sourced instead of lib.sh: runs the script again in its own mount namespace, with its state folder on a small file
# system, SMALL.
if [ -z "${SMALL:-}" ]; then
  unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: skipped"; exit 0; }
  SMALL=$(mktemp -d) exec unshare --user --map-root-user --mount bash -c \
    'mount -t tmpfs -o size=${SMALL_SIZE:-3m} kml "$SMALL" && bash "$0"; status=$?; umount -l "$SMALL"; rmdir "$SMALL"; exit $status' "$0"
fi
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$SMALL/state
