# A user who is not in /etc/passwd has the name in $USER: a static kml does not ask sssd or LDAP.
if [ "$(id -u)" = 0 ]; then
  setpriv --reuid=64123 --regid=64123 --clear-groups test -x "$KML" 2>/dev/null || { echo "SKIPPED: no other user"; exit 0; }
  exec setpriv --reuid=64123 --regid=64123 --clear-groups bash "$0"
fi
. "$(dirname "$0")/lib.sh"
! getent passwd "$(id -u)" >/dev/null || { echo "SKIPPED: the user is listed"; exit 0; }
USER=ana expect 0 "$KML" local up
expect 0 "$KML" submit -- true
contains "$err" "local/default as ana"
