#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/job/submit/submit.h"
#include "pipeline/runner/step_program.h"

namespace kml::cli {

/// The flags of submit for data from outside of the cluster.
struct DataFlags {
  std::vector<std::string> sources;  ///< SOURCE:/path
  std::string store;                 ///< pvc/NAME, where the data stays

  bool are_any() const { return !sources.empty() || !store.empty(); }
};

void add_data_flags(Command& command, DataFlags& flags);

/// Lets the plan's pods fetch the data before they start. Pins what may change, such as a branch of a hub, so
/// that all pods read the same data. With `asks_nodes`, asks the cluster for the processors of its nodes.
/// Throws usage Error for invalid flags, and Error if a source does not exist.
void add_data(Context& context, const DataFlags& flags, bool asks_nodes, job::SubmitPlan& plan);

/// Makes the jobs of an earlier run read the same versions of their data again.
void data_to_run_again(Context& context, bool asks_nodes, job::SubmitPlan& plan);

/// Calls `add` for each job of the plan with the programs for its nodes, and adds the ConfigMaps that it
/// returns to the plan.
void add_data_programs(Context& context, bool asks_nodes, job::SubmitPlan& plan,
                       const std::function<std::vector<Json>(const pipeline::PodPrograms&, Json& job)>& add);

/// The claim in the value of --data-store; empty if the text is empty. Throws usage Error for another text.
std::string claim_of_store(const std::string& store);

}  // namespace kml::cli
