#include "kml/ui/progress.h"

#include <ostream>

#include "kml/core/clean.h"
#include "kml/ui/table.h"

namespace kml::ui {

void Progress::show(std::string_view text) {
  if (!streams_.err_is_terminal) return;
  streams_.out << std::flush;  // both streams may be one terminal
  // A line that wraps could not be taken away again.
  streams_.err << AsItIs{"\r"} << cut_to(clean(text), static_cast<size_t>(std::max(streams_.width - 1, 1)))
               << AsItIs{"\x1B[K"} << std::flush;
  is_shown_ = true;
}

void Progress::end() {
  if (is_shown_) streams_.err << AsItIs{"\r\x1B[K"} << std::flush;
  is_shown_ = false;
}

}  // namespace kml::ui
