. "$(dirname "$0")/lib.sh"
# A quota prevents pods of some trials: status and the live table show why.
k create quota few --hard=pods=0 >/dev/null
refuses_pod 'resources: {}' "exceeded quota: few"
k patch quota few -p '{"spec": {"hard": {"pods": "1"}}}' >/dev/null
"$KML" sweep run s1 --param x=1..3 --maximize score --algorithm grid --parallel 3 "${on_node1[@]}" --grace 1s -- \
  sh -c 'sleep 10000; echo score={x}' >out1 2>&1 &
engine=$!
says() { "$KML" sweep status s1 | grep -q "waiting: 2: quota few"; }
eventually says
kill -9 $engine
wait $engine || true
script -qfc "stty cols 150 rows 30; exec '$KML' sweep resume s1" screen >/dev/null &
engine=$!
says() { grep -q "waiting: 2: quota few" screen; }
eventually says
kill $engine
wait $engine || true
