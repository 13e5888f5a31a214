#include "mcp/tools/arguments.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"

namespace kml::mcp {

namespace {

Error wrong_type(const Tool::Property& property, const std::string& expected) {
  return usage_error("argument " + property.name + " is not " + expected);
}

/// The value as a word. Models often send a number instead of a text, or a text instead of a number.
std::string word_of(const Tool::Property& property, const Json& value) {
  std::string word;
  if (value.is_string())
    word = value;
  else if (value.is_number_integer() || value.is_boolean())
    word = value.dump();
  else if (value.is_number())
    word = compact_text(value);
  else
    throw wrong_type(property, property.is_number ? "a number" : "a text");
  if (word.find('\0') != std::string::npos) throw wrong_type(property, "a text without zero bytes");
  return word;
}

std::vector<std::string> words_of(const Tool::Property& property, const Json& value) {
  std::vector<std::string> words;
  if (!property.repeats) return {word_of(property, value)};
  if (!value.is_array()) return {word_of(property, value)};
  for (const Json& item : value) words.push_back(word_of(property, item));
  return words;
}

void add(const Tool::Property& property, const Json& value, CommandLine& line) {
  if (!property.has_value) {
    if (!value.is_boolean()) throw wrong_type(property, "true or false");
    if (value.get<bool>()) line.options.push_back(property.flag);
    return;
  }
  for (const std::string& word : words_of(property, value)) {
    if (property.is_program)
      line.program.push_back(word);
    else if (!property.flag.empty())
      line.options.push_back(property.flag + "=" + word);
    else if (word.starts_with("-") || word.empty())  // would be read as an option
      throw usage_error("argument " + property.name + " has \"" + word + "\"",
                        "a name does not start with \"-\"");
    else
      line.names.push_back(word);
  }
}

}  // namespace

std::vector<std::string> CommandLine::words() const {
  std::vector<std::string> words = options;
  words.insert(words.end(), names.begin(), names.end());
  if (!program.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
  }
  return words;
}

CommandLine command_line(const Tool& tool, const Json& arguments) {
  CommandLine line;
  std::vector<std::string> known;
  for (const Tool::Property& property : tool.properties) {
    known.push_back(property.name);
    const auto given = arguments.find(property.name);
    if (given != arguments.end() && !given->is_null())
      add(property, *given, line);
    else if (property.is_required)
      throw usage_error("argument " + property.name + " is missing", property.help);
  }
  for (const auto& [name, value] : arguments.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw usage_error("tool " + tool.name + " has no argument \"" + name + "\"", "",
                        suggestion(name, known, "it has: " + join(known, ", ")));
  return line;
}

}  // namespace kml::mcp
