. "$(dirname "$0")/lib.sh"
mkdir -p "$XDG_CONFIG_HOME/kml/templates"
echo 'kml: template/v0' >"$XDG_CONFIG_HOME/kml/templates/broken.yaml"
expect 0 "$KML" template list
contains "$out" "pytorchjob"
contains "$out" 'kml template check broken'
