. "$(dirname "$0")/lib.sh"
# The node evicts one rank of three, because this rank exceeds the size limit of its volume (condition
# DisruptionTarget), and the others lose their peer. kml names the evicted rank and the node's reason. The
# rank's log is deleted with its pod.
folder=$cluster_state/$namespace
rm -rf "$folder"
mkdir "$folder"
mkfifo "$folder/fifo"
cat >gang.yaml <<EOF
apiVersion: batch/v1
kind: Job
metadata: {name: gang}
spec:
  completions: 3
  parallelism: 3
  completionMode: Indexed
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      nodeSelector: {kubernetes.io/hostname: node1}
      volumes:
      - {name: scratch, emptyDir: {sizeLimit: 1Mi}}
      - {name: gang, hostPath: {path: $folder}}
      containers:
      - name: main
        image: localhost/busybox:1
        volumeMounts: [{name: scratch, mountPath: /scratch}, {name: gang, mountPath: /gang}]
        command:
        - sh
        - -c
        - |
          if [ \$JOB_COMPLETION_INDEX = 1 ]; then
            exec 9<>/gang/fifo
            /bin/busybox dd if=/dev/zero of=/scratch/checkpoint bs=1M count=8 2>/dev/null
            echo "saved a checkpoint"
            while :; do /bin/busybox sleep 0.1; done
          fi
          read -r _ </gang/fifo
          echo "torch.distributed.DistBackendError: NCCL error, remote process exited or there was a network error"
          exit 1
EOF
expect 0 "$KML" submit -f gang.yaml
expect 3 "$KML" logs -f gang
contains "$err" "pod gang-1-"
expect 0 "$KML" logs gang --first-error
contains "$out" "rank 1 (pod gang-1-"
contains "$out" "exceeds the limit"
expect 0 "$KML" logs gang --first-error -o json
contains "$out" '"rank":1'
