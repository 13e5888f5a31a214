#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

struct ManPage {
  std::string file;  ///< "kml-submit.1"
  std::string text;  ///< roff
};

/// kml.1, and one page for each command that is not hidden. A subcommand is described on its command's page.
std::vector<ManPage> man_pages(const Command& root);

}  // namespace kml::cli
