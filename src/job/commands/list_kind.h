#pragma once

#include <string>
#include <vector>

#include "job/commands/listing.h"
#include "kml/base/error.h"
#include "kml/job/capacity/kind_listing.h"

namespace kml::cli {

/// The Error for something that does not exist, or is not in the list.
Error not_in_list(std::string what, std::string why, std::string fix);

/// The Error for a word that is neither a kind nor the name of a job in the namespace. `jobs` are the names
/// of the jobs there.
Error unknown_in_list(const std::string& word, const std::string& namespace_name,
                      std::vector<std::string> jobs);

/// The Error for a pattern that matches no job in the namespace.
Error unmatched_pattern(const std::string& pattern, const std::string& namespace_name);

/// All kinds with their columns for the help text, one line each.
std::string text_of_listed_kinds();

int run_list_kind(Context& context, const job::ListedKindInfo& kind, const ListingOptions& options);

}  // namespace kml::cli
