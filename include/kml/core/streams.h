#pragma once

#include <iosfwd>

namespace kml {

/// Where a command writes: data on `out`, narration on `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;  ///< a terminal, and NO_COLOR is not set
  int width = 80;        ///< columns of the terminal
};

/// The process's own streams.
Streams process_streams();

}  // namespace kml
