# For another user's state folder, the message says what is wrong, why, and what to do, without an exception's name.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || { echo "no second user here: skipped"; exit 0; }
export KML_STATE_DIR=$work/state
expect 0 "$KML" local up
chmod 755 "$work" "$KML_STATE_DIR"
for command in "local status" "local up" "local check" list; do
  expect 1 setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp "$KML" $command
  contains "$err" "cannot use the folder $KML_STATE_DIR/local"
  contains "$err" "fix: set KML_STATE_DIR"
done
