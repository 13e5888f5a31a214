#pragma once

#include <string_view>

#include "kml/core/streams.h"

namespace kml::ui {

/// One line on standard error that is rewritten while something takes long. Nothing where that is no
/// terminal.
class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams) {}
  ~Progress() { end(); }
  Progress(const Progress&) = delete;

  void show(std::string_view text);
  /// Takes the line away, so that others can be written.
  void end();

 private:
  const Streams& streams_;
  bool is_shown_ = false;
};

}  // namespace kml::ui
