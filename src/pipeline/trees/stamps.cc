#include "pipeline/trees/stamps.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "kml/base/system_calls.h"

namespace kml::pipeline {

namespace {

/// The latest time of change that this file may have had: some file systems only store whole seconds, or only
/// even ones.
Time latest_change(const struct stat& at) {
  const Time changed = change_time(at);
  const bool is_whole = changed.time_since_epoch() % std::chrono::seconds(1) == nanoseconds(0);
  return is_whole ? changed + std::chrono::seconds(2) : changed;
}

/// Removes the text up to and including the next `end`. Returns the text before `end`. Empty if `end` is
/// missing.
std::optional<std::string_view> taken_up_to(char end, std::string_view& text) {
  const size_t size = text.find(end);
  if (size == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size + 1);
  return taken;
}

}  // namespace

std::string stamp_of(const struct stat& at) {
  return fmt::format("{} {} {} {:o} {}", at.st_size, modification_time(at).time_since_epoch().count(),
                     change_time(at).time_since_epoch().count(), at.st_mode, at.st_ino);
}

std::string stamps_text(const std::string& digest, std::span<const TreeEntry> entries) {
  std::string text = fmt::format("{} {}\n", digest, entries.size());
  for (const TreeEntry& entry : entries) text += entry.path + '\0' + stamp_of(entry.at) + '\n';
  return text;
}

std::optional<std::string> digest_by_stamps(const std::filesystem::path& root, std::string_view stamps) {
  const auto digest = taken_up_to(' ', stamps), count = taken_up_to('\n', stamps);
  if (!digest || !count) return {};
  size_t found = 0;
  for (; !stamps.empty(); ++found) {
    const auto path = taken_up_to('\0', stamps), stamp = taken_up_to('\n', stamps);
    struct stat at {};
    if (!path || !stamp || ::lstat(place_of(root, std::string(*path)).c_str(), &at) != 0) return {};
    if (stamp_of(at) != *stamp) return {};
  }
  return *count == std::to_string(found) ? std::optional<std::string>(*digest) : std::nullopt;
}

void wait_for_file_clock() {
  for (const Time before = file_clock(); file_clock() == before;)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

bool all_changed_before(Time time, std::span<const TreeEntry> entries) {
  return std::all_of(entries.begin(), entries.end(),
                     [&](const TreeEntry& entry) { return latest_change(entry.at) < time; });
}

}  // namespace kml::pipeline
