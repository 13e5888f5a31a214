#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kml/base/json.h"
#include "kml/job/records/records.h"

namespace kml::job {

// The lines of the run records, found without parsing all of them: JSON takes most of the time.

/// Whether the line starts as that of a submit does: a line's keys are sorted. Other lines begin otherwise;
/// that of a submit by an older version of kml may too.
inline bool begins_as_submit(std::string_view line) {
  return line.starts_with("{\"command\":") || line.starts_with("{\"code\":");
}

/// Whether the line looks like a complete record; a truncated one lacks the end.
inline bool is_whole_line(std::string_view line) {
  return line.starts_with('{') && line.ends_with("}\n");
}

/// The text of the records. Waits for another kml that is writing a line, so the last line has an end unless
/// it was cut.
std::string text_of_records(const std::filesystem::path& file);

/// Calls note_damage() for the line, which is a part of `text`.
void note_damaged_line(const std::filesystem::path& file, std::string_view text, std::string_view line);

/// Whether the line contains the mark, such as `"run":`.
bool has_mark(std::string_view line, std::string_view mark);

/// The value of a line's own member. In a text of JSON, the quotes of the mark, `"sentOf":"`, would be
/// escaped.
std::string_view own_text(std::string_view line, std::string_view mark);

/// Calls visit(line) for each line.
void each_text(std::string_view text, const std::function<void(std::string_view)>& visit);
/// Calls visit(line) for each line with one of the keys, except those of submits. Skips a line that is not a
/// record (cut off by a crash).
void each_line(std::string_view text, const std::function<void(Json&)>& visit,
               std::initializer_list<std::string_view> keys);

/// Where the line of the `count`-th submit from the end starts. What is known about a submit follows its
/// line. Does not count submits by older versions of kml, which have no mark "intent".
size_t newest_begin(std::string_view text, size_t count);

/// The outline of a submit, read without parsing the whole line, and the text of its objects. Empty if the
/// line has another form than this version of kml writes.
std::optional<std::pair<Submission, std::string_view>> outline_in(std::string_view line);

}  // namespace kml::job
