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

// Functions that find lines in the run records without parsing each line, because parsing JSON takes most of
// the time.

/// Whether the line starts like the record of a submit. All of these start alike, because a record's keys are
/// sorted. False for other records, and for some submits that older versions of kml have recorded.
inline bool begins_as_submit(std::string_view line) {
  return line.starts_with("{\"command\":") || line.starts_with("{\"code\":");
}

/// Whether the line looks like a complete record; a truncated record has no end.
inline bool is_whole_line(std::string_view line) {
  return line.starts_with('{') && line.ends_with("}\n");
}

/// The text of the record file. Waits until no other kml process is writing a line, so the last line is
/// complete unless a crash cut it.
std::string text_of_records(const std::filesystem::path& file);

/// Calls note_damage() for the line, which is part of `text`.
void note_damaged_line(const std::filesystem::path& file, std::string_view text, std::string_view line);

/// Whether the line contains the mark, such as `"run":`.
bool has_mark(std::string_view line, std::string_view mark);

/// The text value of a line's own member. The mark, such as `"sentOf":`, cannot match inside a JSON string,
/// where quotes are escaped.
std::string_view own_text(std::string_view line, std::string_view mark);

/// Calls visit(line) for each line.
void each_text(std::string_view text, const std::function<void(std::string_view)>& visit);
/// Calls visit(record) for each line that has one of the keys, except for records of submits. Skips a line
/// that a crash has cut.
void each_line(std::string_view text, const std::function<void(Json&)>& visit,
               std::initializer_list<std::string_view> keys);

/// The position at which the line of the `count`-th submit from the end starts; 0 if there are fewer submits.
/// Later lines about a submit follow its own line. Skips submits by older versions of kml, which lack the
/// mark "intent".
size_t newest_begin(std::string_view text, size_t count);

/// An outline of a submit, read without parsing the whole line, and the text of its objects. Empty if the
/// line's form differs from what this version of kml writes.
std::optional<std::pair<Submission, std::string_view>> outline_in(std::string_view line);

}  // namespace kml::job
