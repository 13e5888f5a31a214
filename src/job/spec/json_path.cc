#include "job/spec/json_path.h"

#include <charconv>

namespace kml::spec {

namespace {

/// Reads `[3]` or `["key"]` from the front of the text and removes it.
std::optional<Step> take_bracket(std::string_view& text) {
  if (text.starts_with("[\"")) {
    const size_t end = text.find("\"]", 2);
    if (end == std::string_view::npos) return {};
    Step step = std::string(text.substr(2, end - 2));
    text.remove_prefix(end + 2);
    return step;
  }
  size_t index = 0;
  auto [end, status] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
  if (status != std::errc() || end == text.data() + text.size() || *end != ']') return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
  return index;
}

}  // namespace

std::optional<JsonPath> parse_path(std::string_view text) {
  JsonPath path;
  while (!text.empty()) {
    if (text[0] == '[') {
      auto step = take_bracket(text);
      if (!step) return {};
      path.push_back(std::move(*step));
      continue;
    }
    if (!path.empty()) {
      if (text[0] != '.') return {};
      text.remove_prefix(1);
    }
    const size_t end = std::min(text.find_first_of(".[]\""), text.size());
    if (end == 0) return {};
    path.emplace_back(std::string(text.substr(0, end)));
    text.remove_prefix(end);
  }
  if (path.empty()) return {};
  return path;
}

const Json* find(const Json& root, const JsonPath& path) {
  const Json* value = &root;
  for (const Step& step : path) {
    if (const auto* key = std::get_if<std::string>(&step)) {
      auto it = value->is_object() ? value->find(*key) : value->end();
      if (it == value->end()) return nullptr;
      value = &*it;
    } else {
      const size_t index = std::get<size_t>(step);
      if (!value->is_array() || index >= value->size()) return nullptr;
      value = &(*value)[index];
    }
  }
  return value;
}

Json* find(Json& root, const JsonPath& path) {
  return const_cast<Json*>(find(std::as_const(root), path));
}

std::string set(Json& root, const JsonPath& path, Json value) {
  Json* at = &root;
  for (const Step& step : path) {
    if (const auto* key = std::get_if<std::string>(&step)) {
      if (!at->is_null() && !at->is_object()) return "\"" + *key + "\" cannot be in a " + at->type_name();
      at = &(*at)[*key];
    } else {
      const size_t index = std::get<size_t>(step);
      if (!at->is_null() && !at->is_array())
        return "[" + std::to_string(index) + "] cannot be in a value of type " + at->type_name();
      if (index > at->size())
        return "[" + std::to_string(index) + "] is past the end of a list of " + std::to_string(at->size());
      at = &(*at)[index];
    }
  }
  *at = std::move(value);
  return {};
}

void remove(Json& root, JsonPath path) {
  const Step last = path.back();
  path.pop_back();
  Json* parent = find(root, path);
  const auto* key = std::get_if<std::string>(&last);
  if (parent && parent->is_object() && key) parent->erase(*key);
}

}  // namespace kml::spec
