. "$(dirname "$0")/lib.sh"
# Tests volumes of many kinds at paths that this machine does not have, and the contents of secrets and config maps.
unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: skipped"; exit 0; }
mkdir host
echo given >host/file
cat >volumes.yaml <<EOF
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {token: s3cret, USER_NAME: ada}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a.conf: "alpha", b.conf: "beta", MODE: fast}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: binary}
data: {text: "plain"}
binaryData: {bytes: "AAH/"}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: first}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      volumes:
      - {name: key, secret: {secretName: key, defaultMode: 0400, items: [{key: token, path: deep/token}]}}
      - {name: settings, configMap: {name: settings, defaultMode: 0640}}
      - {name: shared, persistentVolumeClaim: {claimName: shared}}
      - {name: host, hostPath: {path: $work/host, type: Directory}}
      - {name: memory, emptyDir: {medium: Memory, sizeLimit: 1Mi}}
      - {name: missing, secret: {secretName: nowhere, optional: true}}
      - name: projected
        projected:
          defaultMode: 0550
          sources:
          - configMap: {name: binary}
          - configMap: {name: settings, items: [{key: a.conf, path: deep/a}]}
          - secret: {name: key, items: [{key: token, path: token, mode: 0440}]}
          - secret: {name: nowhere, optional: true}
      containers:
      - name: main
        image: any
        resources: {limits: {cpu: 500m, memory: 64Mi}}
        envFrom:
        - {secretRef: {name: key}}
        - {configMapRef: {name: settings}, prefix: SET_}
        - {configMapRef: {name: nowhere, optional: true}}
        env:
        - {name: MEMORY, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
        - {name: MILLI, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
        - {name: CORES, valueFrom: {resourceFieldRef: {containerName: main, resource: limits.cpu}}}
        - {name: BYTES, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: "0"}}}
        volumeMounts:
        - {name: key, mountPath: /no-such/key}
        - {name: settings, mountPath: /no-such/settings}
        - {name: settings, mountPath: /no-such/one.conf, subPath: b.conf}
        - {name: shared, mountPath: /no-such/shared}
        - {name: shared, mountPath: /no-such/part, subPath: runs/one}
        - {name: host, mountPath: /no-such/host, readOnly: true}
        - {name: memory, mountPath: /no-such/memory}
        - {name: missing, mountPath: /no-such/missing}
        - {name: projected, mountPath: /no-such/projected}
        command: [sh, -ec]
        args:
        - |
          echo "env \$token \$USER_NAME \$SET_MODE \$MEMORY \$MILLI \$CORES \$BYTES"
          cd /no-such
          echo "secret \$(cat key/deep/token) \$(stat -c %a key/deep/token) \$(ls key)"
          echo "settings \$(cat settings/a.conf settings/b.conf) \$(stat -c %a settings/a.conf) \$(cat one.conf)"
          touch settings/new 2>/dev/null && echo "a config map was written"
          echo "host \$(cat host/file)"
          touch host/new 2>/dev/null && echo "a read-only folder was written"
          echo kept >shared/left
          echo part >part/file
          echo "memory \$(stat -f -c %T memory)"
          head -c 2097152 /dev/zero >memory/big 2>/dev/null && echo "memory beyond its limit"
          echo "missing \$(ls missing | wc -l)"
          cd projected
          echo "projected \$(ls | xargs) \$(cat text deep/a token) \$(od -An -tx1 bytes) \$(stat -c %a text token | xargs)"
---
apiVersion: batch/v1
kind: Job
metadata: {name: second}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      volumes:
      - {name: shared, persistentVolumeClaim: {claimName: shared}}
      containers:
      - name: main
        image: any
        volumeMounts: [{name: shared, mountPath: /another/place}]
        command: [sh, -c, "until [ -e /another/place/runs/one/file ]; do sleep 0.05; done; cat /another/place/left /another/place/runs/one/file"]
EOF
expect 0 "$KML" submit -f volumes.yaml
"$KML" wait first second --timeout 1000s || fail "$("$KML" logs first second; "$KML" status first second)"
expect 0 "$KML" logs first
[ "$out" = "env s3cret ada fast 64 500 1 67108864
secret s3cret 400 deep
settings alphabeta 640 beta
host given
memory tmpfs
missing 0
projected bytes deep text token plainalphas3cret  00 01 ff 550 440" ] || fail "$out"
expect 0 "$KML" logs second
[ "$out" = "kept
part" ] || fail "$out"
[ ! -e /no-such ] && [ ! -e /another ] && [ ! -e host/new ] || fail "the machine itself was changed"

# A new claim is empty. With --keep, it stays when its job is deleted, and a later job can mount it.
expect 0 "$KML" submit --name scratch --mount new/1Gi:/no-such/new --follow -- sh -c 'ls -A /no-such/new; echo 1 >/no-such/new/x; cat /no-such/new/x'
[ "$out" = $'job scratch submitted\n1' ] || fail "$out"
expect 0 "$KML" submit --name saved --keep --mount new/1Gi:/no-such/new --follow -- sh -c 'echo 2 >/no-such/new/x'
claim=$(grep -o 'saved-data-[a-z0-9]*' <<<"$out")
# The claim exists before the pod starts. If the job cannot be created, its claim does not stay.
[[ "$err" != *"no volume claim"* ]] || fail "$err"
expect 1 "$KML" submit --name saved --keep --mount new/1Gi:/no-such/new -- true
[[ "$out" != *saved-data-* ]] || fail "$out"
contains "$err" "1 of 2 objects were rejected, and 1 more were deleted again"
[[ "$err" != *"not tried"* ]] || fail "$err"
expect 1 "$KML" submit --name saved --keep --mount new/1Gi:/no-such/new --mount new/1Gi:/no-such/more -- true
contains "$err" "1 of 3 objects were rejected, and 2 more were deleted again"
expect 0 "$KML" list claims -o name
[ "$(grep -c saved-data- <<<"$out")" = 1 ] || fail "$out"
expect 0 "$KML" delete saved --yes
contains "$err" "claim $claim stays, with its files: --mount pvc/$claim:/no-such/new mounts it again"
expect 0 "$KML" list claims -o name
contains "$out" "$claim"
expect 0 "$KML" submit --name again --mount "pvc/$claim:/no-such/old:ro" --follow -- cat /no-such/old/x
[ "$out" = $'job again submitted\n2' ] || fail "$out"

# If a volume cannot project something, the server says so when the job is created.
expect 1 "$KML" submit -f - <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: token}, spec: {volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: token}}]}}], containers: [{name: main, image: any}]}}
Y
contains "$err" "projects only Secrets and ConfigMaps"
