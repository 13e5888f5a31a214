#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/fetch/source.h"
#include "pipeline/runner/step_program.h"

namespace kml::pipeline {

/// The path at which the pod that fetches the data mounts the store.
inline constexpr std::string_view kDataPath = "/kml/data-store";

/// Data that kml-step fetches before a job's command starts.
struct PodData {
  fetch::Source source;
  std::string path;  ///< the path at which the command reads the data
};

/// Parses the value of --data, SOURCE:/path. Throws usage Error for any other text.
PodData parse_pod_data(const std::string& text);

/// The claim in the value of --data-store, pvc/NAME; empty if the value is empty. Throws usage Error for any
/// other text.
std::string claim_of_data_store(const std::string& store);

/// Makes each pod of the job fetch the data into the claim, or into a volume of the pod if `claim` is empty,
/// and mount it. Returns the ConfigMaps with the programs, which are named by their contents. Throws usage
/// Error if something is already mounted at a path. `owner` is part of the names of the ConfigMaps; if it is
/// empty, several jobs may share them.
std::vector<Json> add_data(const std::vector<PodData>& data, const std::string& claim,
                           const PodPrograms& programs, Json& job, const std::string& owner = {});

/// Lets the pods of a job that add_data() has changed use these programs instead. Returns the ConfigMaps;
/// none for other jobs.
std::vector<Json> renew_data_programs(const PodPrograms& programs, Json& job);

/// Makes the pods of the job, which mount the store, run `kml-step --tidy WORDS`. Returns the ConfigMaps.
std::vector<Json> add_tidying(const std::vector<std::string>& words, const PodPrograms& programs, Json& job);

}  // namespace kml::pipeline
