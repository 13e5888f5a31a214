#include "local/shim/memory_kills.h"

#include <fmt/format.h>

#include <charconv>

#include "kml/core/files.h"

namespace kml::local {

MemoryKills::MemoryKills(std::filesystem::path statistics)
    : statistics_(std::move(statistics)), before_(count()) {}

std::string MemoryKills::explanation() const {
  const uint64_t number = killed();
  if (number == 0) return {};
  return fmt::format(
      "killed by SIGKILL, perhaps for lack of memory: the kernel has killed {} process{} of this machine for "
      "that while it ran",
      number, number == 1 ? "" : "es");
}

uint64_t MemoryKills::count() const {
  constexpr std::string_view kName = "\noom_kill ";
  uint64_t value = 0;
  const std::string text = read_file_if_exists(statistics_).value_or("");
  if (const size_t at = text.find(kName); at != std::string::npos)
    std::from_chars(text.data() + at + kName.size(), text.data() + text.size(), value);
  return value;
}

}  // namespace kml::local
