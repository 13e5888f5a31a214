#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// A compiled pipeline with these tasks, and the components and executors that they name.
inline std::string compiled(const std::string& tasks, const std::string& components = "",
                            const std::string& executors = "", const std::string& inputs = "") {
  return R"(# PIPELINE DEFINITION
components:
  comp-say:
    executorLabel: exec-say
    inputDefinitions: {parameters: {text: {parameterType: STRING}}}
    outputDefinitions: {parameters: {Output: {parameterType: STRING}}}
  comp-count:
    executorLabel: exec-say
    inputDefinitions: {parameters: {n: {parameterType: NUMBER_INTEGER, defaultValue: 7.0, isOptional: true}}}
    outputDefinitions: {parameters: {Output: {parameterType: NUMBER_INTEGER}}}
)" + components +
         R"(deploymentSpec:
  executors:
    exec-say: {container: {image: busybox, command: [echo, "{{$}}"]}}
)" + executors +
         "pipelineInfo: {name: My pipeline}\nroot:\n  dag:\n    tasks:\n" + tasks + inputs +
         "schemaVersion: 2.1.0\nsdkVersion: kfp-2.17.3\n";
}

inline const char* const kParameters = R"(  inputDefinitions:
    parameters:
      n: {parameterType: NUMBER_INTEGER, defaultValue: 3.0, isOptional: true}
      name: {parameterType: STRING}
      items: {parameterType: LIST, defaultValue: [1.0, 2.0], isOptional: true}
)";

inline std::string say(const std::string& name, const std::string& text, const std::string& more = "") {
  return "      " + name +
         ": {componentRef: {name: comp-say}, cachingOptions: {enableCache: true}, inputs: {parameters: "
         "{text: " +
         text + "}}" + more + "}\n";
}
inline std::string constant(const std::string& text) {
  return "{runtimeValue: {constant: " + text + "}}";
}
inline std::string output_of(const std::string& task) {
  return "{taskOutputParameter: {producerTask: " + task + ", outputParameterKey: Output}}";
}

/// The input of a program: the text of its only argument, "{{$}}".
inline Json executor_input(const Step& step, const render::Scope& scope) {
  return Json::parse(step.program->command(scope, Where::here).at(1));
}

}  // namespace kml::pipeline
