#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/job/submit/submit.h"
#include "pipeline/runner/data_pod.h"
#include "pipeline/runner/step_program.h"

namespace kml::cli {

/// Lets the plan's pods fetch its data before they start. Pins what may change, such as a branch of a hub, so
/// that all pods read the same. With `asks_nodes`, asks the cluster for the processors of its nodes. `owner`
/// alone owns the objects with which the pods fetch the data; if it is empty, all jobs of a namespace share
/// them. Throws usage Error for invalid sources and for a --data-store without data, and Error if a source
/// does not exist. Does nothing without data.
void add_data(Context& context, bool asks_nodes, job::SubmitPlan& plan, const std::string& owner = {});

/// The values of --data. Throws usage Error if one is invalid, or if two have the same path.
std::vector<pipeline::PodData> parsed_data(const std::vector<std::string>& sources);

/// SOURCE:/path with the version that the source has now, as add_data() would use it.
std::string pinned_data(Context& context, const std::string& text);

/// The cluster's nodes, for pipeline::choose_programs(); empty on this machine, or if `asks` is false.
std::vector<Json> nodes_of(Context& context, bool asks);

/// Makes the jobs of an earlier run read the same versions of their data again.
void data_to_run_again(Context& context, bool asks_nodes, job::SubmitPlan& plan);

/// Calls `add` for each job of the plan with the programs for its nodes, and adds the returned ConfigMaps to
/// the plan.
void add_data_programs(Context& context, bool asks_nodes, job::SubmitPlan& plan,
                       const std::function<std::vector<Json>(const pipeline::PodPrograms&, Json& job)>& add);

}  // namespace kml::cli
