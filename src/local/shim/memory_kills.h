#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kml::local {

/// What can be known of a program that SIGKILL ended, though nobody here sent it. Where the container's
/// memory is not limited by a cgroup of its own, only the machine's count tells, and only that.
class MemoryKills {
 public:
  explicit MemoryKills(std::filesystem::path statistics = "/proc/vmstat");

  /// Empty where the kernel has killed nothing for lack of memory since the construction.
  std::string explanation() const;
  /// Processes killed since the construction.
  uint64_t killed() const { return count() - before_; }

 private:
  uint64_t count() const;

  std::filesystem::path statistics_;
  uint64_t before_;
};

}  // namespace kml::local
