#pragma once

#include <csignal>
#include <optional>

#include "kml/base/files.h"

namespace kml {

/// A descriptor that becomes readable when one of the signals arrives, which the process must block. Throws
/// Error. On Linux signalfd(2), on macOS kqueue(2).
Fd make_signal_file(const sigset_t& signals);

/// The next signal that arrived, if any. It has no other effect any more.
std::optional<int> next_signal(const Fd& file);

}  // namespace kml
