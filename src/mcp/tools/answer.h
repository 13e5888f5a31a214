#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::mcp {

/// The result of a child process.
struct Ran {
  int exit_code = 0;
  std::string out, errors;
};

/// The output of a child process, as data.
struct Said {
  Json data;   ///< the command's output; null if there is none
  Json error;  ///< the command's error, as in docs/schemas/error.json; null if it succeeded
  std::vector<std::string> notes;  ///< the other lines on the process's standard error
};
Said said_by(const Ran& ran);

/// Removes control characters, invisible format characters and escape sequences from all texts in the value,
/// and shortens long ones. Texts from jobs and from the cluster may be written by strangers.
Json cleaned(const Json& value);
std::string cleaned_text(const std::string& text);

/// Shortens lists, the longest first, until the value has at most this many bytes in an answer. Adds to `cut`
/// what is missing: {"at": "/lines", "kept": 20, "of": 400}. Lists of log lines (`keeps_end`) keep their last
/// items. Throws Error if shorter lists are not enough.
Json bounded(Json value, size_t most, bool keeps_end, Json& cut);

/// The result of `tools/call`. The text repeats the data between two lines with a random word, which the data
/// cannot contain. This shows a client where text from strangers ends.
Json tool_result(const Said& said, size_t most_bytes, bool keeps_end);
/// The member _meta of an answer or a notification with text that strangers may have written.
Json meta_of_strangers();
/// The text between two lines with a random word, as in tool_result().
std::string marked(const std::string& text);

}  // namespace kml::mcp
