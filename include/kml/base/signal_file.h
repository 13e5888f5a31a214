#pragma once

#include <csignal>
#include <optional>

#include "kml/base/files.h"

namespace kml {

/// A descriptor that becomes readable when one of the signals arrives. The process must block these signals.
/// Uses signalfd(2) on Linux and kqueue(2) on macOS. Throws Error if that fails.
Fd make_signal_file(const sigset_t& signals);

/// The next signal that has arrived, if any. The signal then has no other effect.
std::optional<int> next_signal(const Fd& file);

}  // namespace kml
