. "$(dirname "$0")/../lib.sh"
# If a gang does not fit, its program does not run: its launcher is not created before all workers run.
kinds=pods,jobs,mpijobs
of=training.kubeflow.org/job-name
node1=(--image localhost/busybox:1 --node-selector kubernetes.io/hostname=node1)
two=(-t mpijob --nodes 2 "${node1[@]}" --set 'spec.mpiReplicaSpecs.Worker.template.spec.containers[0].command=["sh", "-c", "sleep 3600"]')
check_runs "submit" 0 "$KML" submit --no-check --name m3 "${two[@]}" --gpus 3 -- mpirun hostname
eventually are $of=m3 "1 Pending 1 Running"
check "list" "Waiting 1/3 6" "$(listed m3)"
check "RUN TIME of a job that waits" no "$(run_time m3)"
check_says "why" "2 x 3 GPUs do not fit on node1 (4), whoever else runs" 'would not fit even if no other job' "$(say why m3)"
check "why names the job itself as holder" no "$(say why m3 | grep -q 'held by.*m3' && echo yes || echo no)"
check_says "queue" "it waits" 'm3 .* Waiting' "$(say queue --no-headers)"
check_runs "cancel" 0 "$KML" cancel m3
stopped() { ! phases $of="$1" | grep -Eq 'Pending|Running'; }
soon 60 stopped m3 || true
check "its pods, cancelled" yes "$(stopped m3 && echo yes || phases $of=m3)"
check "list, cancelled" "Cancelled" "$(listed m3 | cut -d' ' -f1)"

# The gang starts once another job has ended.
check_runs "submit of the holder" 0 "$KML" submit --name holder "${node1[@]}" --gpus 3 -- sh -c 'sleep 3600'
eventually are job-name=holder "1 Running"
check_runs "submit of the gang" 0 "$KML" submit --no-check --name m4 "${two[@]}" --gpus 1 -- mpirun hostname
eventually are $of=m4 "1 Pending 1 Running"
check "list of the gang" "Waiting 1/3 2" "$(listed m4)"
check_says "why of the gang" "holder has the GPUs" 'held by.*holder' "$(say why m4)"
check "why of the gang names the gang itself as holder" no "$(say why m4 | grep -q 'm4 (' && echo yes || echo no)"
check_runs "suspend" 0 "$KML" suspend m4
soon 60 stopped m4 || true
check "its pods, suspended" yes "$(stopped m4 && echo yes || phases $of=m4)"
check "list, suspended" "Suspended" "$(listed m4 | cut -d' ' -f1)"
check_runs "cancel of the holder" 0 "$KML" cancel holder
check_runs "resume" 0 "$KML" resume m4
started() { k get pods -l $of=m4 -o name | grep -q launcher; }
eventually started
