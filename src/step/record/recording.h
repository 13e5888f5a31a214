#pragma once

#include <time.h>

#include <string>

namespace kml::step {

/// The arguments of --record.
struct Recording {
  std::string file;    ///< the file to which the record is written
  std::string folder;  ///< the folder whose reads are recorded; a path without links
  timespec since{};    ///< kml does not know of changes in the folder after this time
};

}  // namespace kml::step
