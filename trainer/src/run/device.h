#pragma once

#include <functional>
#include <string>

namespace trainer {

/// Where to compute; `automatic` is a question only.
enum class Device { cpu, cuda, automatic };

/// Answers it for this build and machine, and tells `say` what `automatic` became. Throws Error where the one
/// that is asked for cannot be had.
Device choose_device(Device asked, const std::function<void(const std::string&)>& say);

/// "cpu" or "cuda".
std::string device_name(Device device);

}  // namespace trainer
