# A compiled pipeline creates a volume claim, mounts it under its generated name, and removes it; a claim that kml did
# not create is left alone. A step gets a Secret's key under another name.
. "$(dirname "$0")/lib.sh"
cat >pipeline.yaml <<'EOF'
components:
  comp-createpvc:
    executorLabel: exec-createpvc
    inputDefinitions:
      parameters:
        access_modes: {parameterType: LIST}
        pvc_name: {parameterType: STRING, isOptional: true}
        pvc_name_suffix: {parameterType: STRING, isOptional: true}
        size: {parameterType: STRING}
    outputDefinitions: {parameters: {name: {parameterType: STRING}}}
  comp-deletepvc:
    executorLabel: exec-deletepvc
    inputDefinitions: {parameters: {pvc_name: {parameterType: STRING}}}
  comp-write: {executorLabel: exec-write}
  comp-read:
    executorLabel: exec-read
    outputDefinitions: {parameters: {text: {parameterType: STRING}}}
deploymentSpec:
  executors:
    exec-createpvc: {container: {image: argostub/createpvc}}
    exec-deletepvc: {container: {image: argostub/deletepvc}}
    exec-write: {container: {image: busybox, command: [sh, -c, 'echo $PASSWORD >MOUNTED/file']}}
    exec-read: {container: {image: busybox, command: [sh, -c, 'cp MOUNTED/file "$0"', "{{$.outputs.parameters['text'].output_file}}"]}}
pipelineInfo: {name: claims}
root:
  dag:
    tasks:
      create:
        componentRef: {name: comp-createpvc}
        inputs:
          parameters:
            access_modes: {runtimeValue: {constant: [ReadWriteOnce]}}
            pvc_name_suffix: {runtimeValue: {constant: -made}}
            size: {runtimeValue: {constant: 5Mi}}
      write: {componentRef: {name: comp-write}, dependentTasks: [create]}
      read: {componentRef: {name: comp-read}, dependentTasks: [create, write]}
      delete:
        componentRef: {name: comp-deletepvc}
        dependentTasks: [create, read]
        inputs: {parameters: {pvc_name: {taskOutputParameter: {outputParameterKey: name, producerTask: create}}}}
schemaVersion: 2.1.0
sdkVersion: kfp-2.17.3
---
platforms:
  kubernetes:
    deploymentSpec:
      executors:
        exec-write: &mounted
          pvcMount: [{mountPath: MOUNTED, pvcNameParameter: {taskOutputParameter: {outputParameterKey: name, producerTask: create}}}]
          secretAsEnv: [{secretName: login, keyToEnv: [{secretKey: pass, envVar: PASSWORD}]}]
        exec-read: *mounted
EOF
mkdir mounted
sed -i "s#MOUNTED#$work/mounted#" pipeline.yaml
expect 2 "$KML" run pipeline.yaml
contains "$err" "removes a volume claim"
contains "$err" "uses the secret login"
expect 0 "$KML" trust pipeline.yaml
expect 0 "$KML" local up
export KUBECONFIG=$work/kubeconfig
"$KML" local kubeconfig >"$KUBECONFIG"
kubectl create secret generic login --from-literal pass=hush >/dev/null
expect 0 timeout 1000 "$KML" --context local run pipeline.yaml --name c1
expect 0 "$KML" --context local run status c1
contains "$out" "name=c1-made"
contains "$out" "text=hush"
[ -z "$(kubectl get pvc -o name)" ] || fail "$(kubectl get pvc)"

# Tests a claim that existed before.
kubectl create -f - >/dev/null <<'EOF'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c2-made}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Mi}}}
EOF
expect 3 timeout 1000 "$KML" --context local run pipeline.yaml --name c2
contains "$err" "c2-made was not created by a kml run"
[ "$(kubectl get pvc -o name)" = persistentvolumeclaim/c2-made ] || fail "$(kubectl get pvc)"
