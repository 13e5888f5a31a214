#pragma once

#include <filesystem>
#include <string>

namespace kml::local {

/// What a file of /proc or of a cgroup says, which the kernel makes while it is read: to its end, or as far
/// as it can be read. Empty where it cannot: the process has ended, or is another user's.
std::string read_kernel_file(const std::filesystem::path& path);

}  // namespace kml::local
