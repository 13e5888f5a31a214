#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "job/commands/job_filter.h"
#include "kml/job/views/find.h"

namespace kml::cli {

/// Flags of commands that list jobs. Those that kubectl has, too, have the same meanings as there.
struct ListingOptions {
  bool all_namespaces = false;
  bool watch = false;
  bool no_headers = false;
  JobFilter filter;
  std::string output;
};

void add_listing_flags(Command& command, ListingOptions& options);

/// Lists jobs and pods, and passes them to `print`. With --watch, repeats this after each change until
/// interrupted.
int run_listing(Context& context, const ListingOptions& options,
                const std::function<void(const std::vector<Json>& jobs, const job::PodsByJob& pods)>& print);

}  // namespace kml::cli
