#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "pipeline/compiled_text.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/language/fill_step.h"

namespace kml::pipeline::kfp_pod_test {

/// A task whose executor has these fields of platforms.kubernetes; `more` are other tasks.
Pipeline task_with(const std::string& fields, const std::string& inputs = "", const std::string& more = "",
                   const std::string& root = "") {
  return parse_pipeline(
      compiled("      a: {componentRef: {name: comp-a}" + inputs + "}\n" + more,
               "  comp-a: {executorLabel: exec-a}\n",
               "    exec-a: {container: {image: busybox, command: [a]}}\n", root) +
          "---\nplatforms:\n  kubernetes:\n    deploymentSpec:\n      executors:\n        exec-a: {" +
          fields + "}\n",
      "p.yaml");
}

const Step& step_a(const Pipeline& pipeline) {
  const Step* step = pipeline.find("a");
  REQUIRE(step);
  return *step;
}

TEST_CASE("kfp: pods have variables from Secrets, ConfigMaps and fields under their own names") {
  const Pipeline pipeline = task_with(
      "secretAsEnv: [{secretName: s, keyToEnv: [{secretKey: pass, envVar: PASSWORD}], optional: true}], "
      "configMapAsEnv: [{configMapName: m, keyToEnv: [{configMapKey: k, envVar: K}]}], "
      "fieldPathAsEnv: [{name: IP, fieldPath: status.podIP}]");
  CHECK(compact_text(step_a(pipeline).pod["env"]) ==
        R"([{"name":"K","valueFrom":{"configMapKeyRef":{"key":"k","name":"m"}}},)"
        R"({"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},)"
        R"({"name":"PASSWORD","valueFrom":{"secretKeyRef":{"key":"pass","name":"s","optional":true}}}])");
  const FilledStep filled = fill(step_a(pipeline), "p.yaml", {}, Where::pod);
  REQUIRE(filled.uses.size() == 1);
  CHECK(filled.uses[0].name == "env-from");
  CHECK(filled.uses[0].value == "s");
}

TEST_CASE("kfp: pods have the volumes, annotations, affinity and tolerations of Kubernetes") {
  const Pipeline pipeline = task_with(
      "secretAsVolume: [{secretName: s, mountPath: /s}], configMapAsVolume: [{configMapName: m, mountPath: "
      "/m}], "
      "emptyDirMounts: [{volumeName: e, mountPath: /e, sizeLimit: 1Gi}], imagePullPolicy: Always, "
      "podMetadata: {annotations: {a.b: \"$x\"}}, tolerations: [{operator: Exists, tolerationSeconds: 5}], "
      "nodeAffinity: [{matchExpressions: [{key: z, operator: In, values: [b]}]}, {weight: 3, "
      "matchExpressions: "
      "[{key: y, operator: Exists}]}]");
  const Json pod = fill(step_a(pipeline), "p.yaml", {}, Where::pod).pod;
  CHECK(compact_text(pod["volumes"]) ==
        R"([{"configMap":{"name":"m"},"name":"kfp-0"},{"emptyDir":{"sizeLimit":"1Gi"},"name":"kfp-1"},)"
        R"({"name":"kfp-2","secret":{"secretName":"s"}}])");
  CHECK(pod["volumeMounts"][2] == Json{{"mountPath", "/s"}, {"name", "kfp-2"}});
  CHECK(pod["annotations"] == Json{{"a.b", "$x"}});
  CHECK(pod["imagePullPolicy"] == "Always");
  CHECK(compact_text(pod["tolerations"]) == R"([{"operator":"Exists","tolerationSeconds":5}])");
  CHECK(
      compact_text(pod["affinity"]["nodeAffinity"]) ==
      R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"preference":{"matchExpressions":[{"key":"y",)"
      R"("operator":"Exists"}]},"weight":3}],"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"z","operator":"In","values":["b"]}]}]}})");
}

TEST_CASE("kfp: a name made by another task is known once that task has ended; a missing name is left out") {
  const Pipeline made = task_with(
      "secretAsEnv: [{secretNameParameter: {taskOutputParameter: {producerTask: b, outputParameterKey: "
      "Output}}, "
      "keyToEnv: [{secretKey: k, envVar: K}]}], pvcMount: [{mountPath: /d, pvcNameParameter: "
      "{taskOutputParameter: {producerTask: b, outputParameterKey: Output}}}]",
      ", dependentTasks: [b]", say("b", constant("x")));
  const FilledStep filled =
      fill(step_a(made), "p.yaml", {{"in", {{"setting", "one"}, {"setting-2", "two"}}}}, Where::pod);
  CHECK(filled.pod["env"][0]["valueFrom"]["secretKeyRef"]["name"] == "two");
  REQUIRE(filled.settings.size() == 2);
  CHECK(filled.settings[1].value == "pvc/one:/d");
  const std::string fields =
      "secretAsEnv: [{secretNameParameter: {componentInputParameter: s}, keyToEnv: [{secretKey: k, envVar: "
      "K}]}], "
      "tolerations: [{tolerationJson: {componentInputParameter: t}}], "
      "nodeSelector: {nodeSelectorJson: {componentInputParameter: n}}";
  const Pipeline given = task_with(
      fields, "", "",
      "  inputDefinitions: {parameters: {s: {parameterType: STRING, isOptional: true}, "
      "t: {parameterType: LIST, isOptional: true}, n: {parameterType: STRUCT, isOptional: true}}}\n");
  CHECK(step_a(given).pod.empty());
  const Pipeline with = given.for_values({{"s", "x"}, {"t", {{{"key", "k"}}}}, {"n", {{"zone", "b"}}}}, {});
  CHECK(step_a(with).pod["env"].size() == 1);
  CHECK(compact_text(step_a(with).pod["tolerations"]) == R"([{"key":"k"}])");
  CHECK(compact_text(yaml::to_json(step_a(with).settings, "")["node-selector"]) == R"({"zone":"b"})");
}

TEST_CASE(
    "kfp: a task that creates a claim has the claim's manifest, named after the run or as the task says") {
  const std::string claim = R"(  comp-claim:
    executorLabel: exec-claim
    inputDefinitions: {parameters: {access_modes: {parameterType: LIST}, size: {parameterType: STRING}, pvc_name: {parameterType: STRING, isOptional: true}, pvc_name_suffix: {parameterType: STRING, isOptional: true}, storage_class_name: {parameterType: STRING, isOptional: true}, annotations: {parameterType: STRUCT, isOptional: true}}}
    outputDefinitions: {parameters: {name: {parameterType: STRING}}}
)";
  const auto object_of = [&](const std::string& more, const std::string& image) {
    const Pipeline pipeline =
        parse_pipeline(compiled("      a: {componentRef: {name: comp-claim}, cachingOptions: {enableCache: "
                                "true}, inputs: {parameters: "
                                "{access_modes: {runtimeValue: {constant: [ReadWriteMany]}}, size: " +
                                    constant("1Gi") + ", " + more + "}}}\n",
                                claim, "    exec-claim: {container: {image: argostub/" + image + "}}\n"),
                       "p.yaml");
    const Step& step = pipeline.steps[0];
    CHECK_FALSE(step.is_cached);
    CHECK(step.program->is_of_object());
    CHECK(step.program->removes_object() == (image == "deletepvc"));
    return compact_text(step.program->object({{"run", {{"name", "r"}}}}));
  };
  CHECK(
      object_of("pvc_name_suffix: " + constant("-x") +
                    ", annotations: {runtimeValue: {constant: {k: v}}}, "
                    "storage_class_name: " +
                    constant("''"),
                "createpvc") ==
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"annotations":{"k":"v"},"name":"r-x"},)"
      R"("spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}},"storageClassName":""}})");
  CHECK(object_of("pvc_name: " + constant("c"), "deletepvc") ==
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"}})");
  CHECK_THROWS_AS(object_of("annotations: {runtimeValue: {constant: {}}}", "createpvc"), Error);
}

}  // namespace kml::pipeline::kfp_pod_test
