. "$(dirname "$0")/lib.sh"
"$KML" completion man generated
diff -r generated "$SOURCE/man" || fail "run: kml completion man man"
