#pragma once

#include <string>

#include "cli/listing.h"
#include "kml/jobs/capacity/kind_listing.h"

namespace kml::cli {

/// Throws usage Error if `kml list` does not know the word.
const jobs::ListedKindInfo& listed_kind(const std::string& word);

/// All kinds with their columns, one line each, for the help.
std::string text_of_listed_kinds();

int run_list_kind(Context& context, const jobs::ListedKindInfo& kind, const ListingOptions& options);

}  // namespace kml::cli
