#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/why/why.h"

namespace kml::cli {

/// The explanation of the state of a schedule, a served program or a pipeline run.
struct Explained {
  job::Verdict verdict;  ///< its `job` is the schedule, program or run, with name, kind and state
  std::string text;      ///< the lines that `kml why` prints; empty if notes have said the same
  std::vector<std::string> log = {};  ///< the last lines of a pod that failed
};

/// An explanation with one cause. `kind` is the kind of the object, such as "CronJob".
Explained explained(Context& context, const std::string& kind, const std::string& name, job::State state,
                    job::Cause cause);

/// Prints the explanation as text or, if `output` is not empty, in this format.
void print_explained(Context& context, const Explained& explained, const std::string& output);

}  // namespace kml::cli
