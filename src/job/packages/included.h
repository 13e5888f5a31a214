#pragma once

#include <string>
#include <vector>

#include "job/packages/requested.h"

namespace kml::packages {

/// A file or a URL that a trusted requirements file includes with -r or -c.
struct Included {
  std::string place;
  bool are_constraints = false;
  RequirementLines lines = {};  ///< empty for a URL that was not read

  bool is_url() const { return is_http_url(place); }
};

/// All that the request's options include, and what these files include in turn. URLs are not read, because
/// uv finds better words for a server that does not answer. Throws Error if a file cannot be read.
std::vector<Included> included_in(const Requested& requested);

/// The list at a URL, and the lists that it includes in turn, with their lines.
std::vector<Included> lists_at(const Included& url);

}  // namespace kml::packages
