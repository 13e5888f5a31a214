#include "sweep/spec/wandb_macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kml::sweep {

namespace {

constexpr std::string_view kMacros[] = {
    "args",      "args_no_equals", "args_no_hyphens",   "args_no_boolean_flags",
    "args_json", "args_json_file", "args_append_hydra", "args_override_hydra"};

/// A str as Python's repr() prints it.
std::string quoted(const std::string& text) {
  const bool is_double = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = is_double ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n' || c == '\r' || c == '\t')
      result += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + quote;
}

/// A list or map, with the separators that Python uses.
std::string python_list(const Json& value, std::string (*word_of)(const Json& part)) {
  std::string text;
  for (const auto& [key, part] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += word_of(Json(key)) + ": ";
    text += word_of(part);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string repr(const Json& value) {
  if (value.is_structured()) return python_list(value, repr);
  return value.is_string() ? quoted(value.get<std::string>()) : python_text(value);
}

/// The value as Python's json.dumps() prints it.
std::string dumped(const Json& value) {
  if (!value.is_structured()) return value.dump(-1, ' ', true);
  return python_list(value, dumped);
}

}  // namespace

std::string python_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  return value.is_structured() ? repr(value) : value.dump();
}

bool is_argument_macro(std::string_view name) {
  return std::find(std::begin(kMacros), std::end(kMacros), name) != std::end(kMacros);
}

std::map<std::string, std::vector<std::string>> argument_macros(
    const std::vector<std::pair<std::string, Json>>& values, std::uint64_t trial) {
  std::map<std::string, std::vector<std::string>> lists;
  Json all = Json::object();
  // all macros get an entry, even if there are no values
  for (const std::string_view macro : kMacros) lists[std::string(macro)];
  for (const auto& [name, value] : values) {
    const std::string word = name + "=" + python_text(value);
    lists["args"].push_back("--" + word);
    lists["args_no_hyphens"].push_back(word);
    lists["args_no_equals"].insert(lists["args_no_equals"].end(), {"--" + name, python_text(value)});
    lists["args_append_hydra"].push_back("+" + word);
    lists["args_override_hydra"].push_back("++" + word);
    if (!value.is_boolean())
      lists["args_no_boolean_flags"].push_back("--" + word);
    else if (value.get<bool>())
      lists["args_no_boolean_flags"].push_back("--" + name);
    all[name] = value;
  }
  lists["args_json"] = {dumped(all)};
  lists["args_json_file"] = {fmt::format("wandb/config-{}.json", trial)};
  return lists;
}

}  // namespace kml::sweep
