#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "job/commands/command_plan.h"
#include "job/commands/submit_request.h"
#include "serve/commands/serve_front.h"

namespace kml::cli {

/// What the command line of `kml serve` says.
struct ServeOptions {
  std::vector<std::string> words, inputs;
  SubmitFlags flags;
  std::optional<long long> port, replicas;
  std::optional<std::chrono::seconds> timeout, idle;
  std::string ready, probe, probe_path, form;
  ActivatorFlags activator;
  PlanFlags plan;
  bool dry_run = false;
};

/// Sets the job's name. Overrides the template and the number of nodes that kml.yaml may set.
SubmitFlags flags_of_pod(Context& context, const ServeOptions& options);

}  // namespace kml::cli
