#include "mcp/tools/arguments.h"

#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "mcp/tools/argument_names.h"

namespace kml::mcp {

namespace {

Error wrong_type(const Tool::Property& property, const std::string& expected, std::string fix = {}) {
  return usage_error("argument " + property.name + " is not " + expected, "", std::move(fix));
}

/// `"env": ["A=1","B=2"]` for {"A": 1, "B": 2}; empty if the object has other values.
std::string as_pairs(const Tool::Property& property, const Json& object) {
  Json pairs = Json::array();
  for (const auto& [key, value] : object.items()) {
    if (value.is_structured() || value.is_null()) return {};
    pairs.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return "\"" + property.name + "\": " + compact_text(pairs);
}

/// A list that was sent as one text: "python train.py --lr 1" or "[\"a\", \"b\"]".
std::optional<Json> list_in(const Tool::Property& property, const std::string& text) {
  if (const Json list = Json::parse(text, nullptr, false); list.is_array()) return list;
  if (!property.is_program || trim(text).find_first_of(" \t\n") == std::string_view::npos) return {};
  const bool is_plain = text.find_first_of("'\"\\$`;&|<>(){}*?\n") == std::string::npos;
  if (!is_plain) return Json{"sh", "-c", text};
  Json words = Json::array();
  for (const std::string& word : split(text, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
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
    throw wrong_type(property, property.is_number ? "a number" : "a string");
  if (word.find('\0') != std::string::npos) throw wrong_type(property, "a string without zero bytes");
  return word;
}

std::vector<std::string> words_of(const Tool::Property& property, const Json& value) {
  std::vector<std::string> words;
  if (property.repeats && value.is_object())
    throw wrong_type(property, "a list of strings", as_pairs(property, value));
  if (property.repeats && value.is_string())
    if (const auto list = list_in(property, value))
      throw wrong_type(property, "a list, but a single string",
                       "\"" + property.name + "\": " + compact_text(*list));
  if (!property.repeats || !value.is_array()) return {word_of(property, value)};
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
    else if (word.starts_with("-") || word.empty())  // kml would read the word as an option
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

CommandLine command_line(const Tool& tool, const Json& arguments, const std::vector<std::string>& others) {
  CommandLine line;
  std::vector<std::string> known;
  for (const Tool::Property& property : tool.properties) known.push_back(property.name);
  known.insert(known.end(), others.begin(), others.end());
  // Checked before missing arguments, because an argument with a mistyped name is also missing.
  require_known_names(arguments, known, "tool " + tool.name);
  for (const Tool::Property& property : tool.properties) {
    const auto given = arguments.find(property.name);
    if (given != arguments.end() && given->is_array() && given->empty() && property.is_required)
      throw usage_error("argument " + property.name + " is an empty list", property.help);
    if (given != arguments.end() && !given->is_null())
      add(property, *given, line);
    else if (property.is_required)
      throw usage_error("argument " + property.name + " is missing", property.help);
  }
  return line;
}

}  // namespace kml::mcp
