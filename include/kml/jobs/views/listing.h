#pragma once

#include <string>
#include <vector>

#include "kml/jobs/views/find.h"

namespace kml::jobs {

/// What a table of jobs is made of.
struct Listing {
  std::vector<Json> jobs;
  PodsByJob pods;
};

/// All jobs, but those that are a part of another, and the pods there: with what a table shows, not whole
/// (see kube::list_briefly). All lists are asked for at once. A kind that the cluster does not have is no
/// error.
Listing list_for_table(kube::Client& client, const std::string& namespace_name,
                       const std::string& label_selector);

}  // namespace kml::jobs
