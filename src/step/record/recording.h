#pragma once

#include <time.h>

#include <string>

namespace kml::step {

/// The arguments of --record.
struct Recording {
  std::string file;    ///< the file to which the record is written
  std::string folder;  ///< what programs read in this folder is recorded; a path without links
  timespec since{};    ///< what has changed since then differs from what kml knows of the folder
};

}  // namespace kml::step
