#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kml::pipeline {

/// Names that other tools use for the keys of a step.
inline constexpr std::pair<std::string_view, const char*> kTheirWords[] = {
    {"depends_on", "\"after\""},   {"dependsOn", "\"after\""}, {"needs", "\"after\""},
    {"dependencies", "\"after\""}, {"deps", "\"inputs\""},     {"outs", "\"outputs\""},
    {"run", "\"command\""},        {"cmd", "\"command\""},     {"script", "\"command\""},
    {"args", "\"command\""},       {"if", "\"when\""},         {"matrix", "\"foreach\""},
};

/// The keys of a step that are not keys of kml.yaml, or that a pipeline handles in a different way.
inline const std::vector<std::string> kStepKeys = {"command", "inputs",    "outputs", "after", "when",
                                                   "retries", "onFailure", "cache",   "code",  "timeout",
                                                   "foreach", "sweep",     "serve"};

/// The flags of kml sweep run that a step may use.
inline const std::vector<std::string> kSweepFlags = {
    "param",    "maximize", "minimize",       "constraint",   "algorithm", "seed",
    "trials",   "parallel", "time",           "gpu-hours",    "goal",      "early-stopping",
    "resource", "stop-by",  "checkpoint-dir", "deterministic"};

/// The command and the flags of kml serve that a step may use.
inline const std::vector<std::string> kServeFlags = {
    "name",  "command",    "template", "port",         "replicas",      "ready",
    "probe", "probe-path", "idle",     "engine-image", "engine-account"};

}  // namespace kml::pipeline
