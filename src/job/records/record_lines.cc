#include "job/records/record_lines.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "kml/base/damage.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

/// Does the same as text.find(), which is slow for a mark that starts with a quote.
size_t find_mark(std::string_view text, std::string_view mark) {
  const void* found = ::memmem(text.data(), text.size(), mark.data(), mark.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

/// The length of the list that the text starts with; the length of the text if the list does not end.
size_t length_of_list(std::string_view text) {
  int depth = 0;
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\')
      ++i;
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && (c == '[' || c == '{'))
      ++depth;
    else if (!is_quoted && (c == ']' || c == '}') && --depth == 0)
      return i + 1;
  }
  return text.size();
}

}  // namespace

std::string text_of_records(const std::filesystem::path& file) {
  constexpr size_t kLargest = size_t{1} << 30;
  std::optional<std::string> text = read_file_if_exists(file, kLargest);
  if (text && !text->ends_with('\n')) {
    const Fd lock(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    ::flock(lock.get(), LOCK_SH);
    text = read_file_if_exists(file, kLargest);
    if (text->empty()) note_damage(file);
  }
  return text.value_or("");
}

void note_damaged_line(const std::filesystem::path& file, std::string_view text, std::string_view line) {
  const auto lines_before = std::count(text.data(), line.data(), '\n');
  note_damage(file, 1 + static_cast<size_t>(lines_before));
}

bool has_mark(std::string_view line, std::string_view mark) {
  return find_mark(line, mark) != std::string_view::npos;
}

std::string_view own_text(std::string_view line, std::string_view mark) {
  const size_t begin = find_mark(line, mark);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = line.substr(begin + mark.size());
  return rest.substr(0, rest.find('"'));
}

void each_text(std::string_view text, const std::function<void(std::string_view)>& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    visit(line);
  }
}

void each_line(std::string_view text, const std::function<void(Json&)>& visit,
               std::initializer_list<std::string_view> keys) {
  each_text(text, [&](std::string_view line) {
    const auto has = [line](std::string_view key) { return has_mark(line, key); };
    if (begins_as_submit(line) || std::none_of(keys.begin(), keys.end(), has)) return;
    if (Json json = Json::parse(line, nullptr, false); json.is_object()) visit(json);
  });
}

size_t newest_begin(std::string_view text, size_t count) {
  // a mark inside a JSON string would have escaped quotes
  constexpr std::string_view kMark = ",\"intent\":true,";
  size_t at = text.size();
  for (size_t i = 0; i < count && at != std::string::npos && at > 0; ++i) at = text.rfind(kMark, at - 1);
  return at == std::string::npos ? 0 : text.rfind('\n', at) + 1;  // npos + 1 is 0
}

std::optional<std::pair<Submission, std::string_view>> outline_in(std::string_view line) {
  constexpr std::string_view kObjects = ",\"objects\":", kCommand = "\"command\":";
  const size_t at = find_mark(line, kCommand), begin = find_mark(line, kObjects);
  if (begin == std::string_view::npos || at > begin) return {};
  const std::string_view list = line.substr(begin + kObjects.size()),
                         objects = list.substr(0, length_of_list(list)), tail = list.substr(objects.size()),
                         command = line.substr(at + kCommand.size());
  const Json words = Json::parse(command.substr(0, length_of_list(command)), nullptr, false);
  const std::string_view id = own_text(tail, ",\"run\":\""), time = own_text(tail, ",\"time\":\""),
                         user = own_text(tail, ",\"user\":\""),
                         context = own_text(line.substr(0, begin), ",\"context\":\"");
  const auto has_escape = [](std::string_view text) { return contains(text, "\\"); };
  if (!words.is_array() || id.empty() || has_escape(user) || has_escape(context)) return {};
  Submission outline;
  for (const Json& word : words) outline.command.push_back(word.is_string() ? word : Json(""));
  outline.id = id;
  outline.user = user;
  outline.context = context;
  outline.time = parse_rfc3339(std::string(time)).value_or(Time());
  return std::pair(std::move(outline), objects);
}

}  // namespace kml::job
