#include "kml/base/yaml.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/node/node.h>  // defines Node; otherwise clang-tidy takes it for kml's Node
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <climits>
#include <map>
#include <sstream>
#include <string_view>

#include "base/json_events.h"
#include "base/yaml_builder.h"
#include "base/yaml_long_words.h"
#include "base/yaml_scalar.h"
#include "kml/base/text.h"

namespace kml::yaml {

namespace {

/// Whether YAML allows the character. yaml-cpp treats U+0004 as the end of the file and would ignore the
/// rest.
bool is_allowed(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7F) || c == 0x85 || c >= 0xA0;
}

/// yaml-cpp parses all open collections before Builder can count the levels.
constexpr int kMostOpen = 100'000;

void check_characters(std::string_view text, std::string_view source) {
  Mark mark{1, 1};
  int open = 0;
  while (!text.empty()) {
    auto character = first_code_point(text);
    if (!character) throw problem_at(source, mark, "this byte is not UTF-8");
    if (!is_allowed(character->value))
      throw problem_at(source, mark, "this is a control character; write it as an escape in double quotes");
    if (character->value == '[' || character->value == '{') ++open;
    if ((character->value == ']' || character->value == '}') && open > 0) --open;
    if (open > kMostOpen)
      throw problem_at(source, mark,
                       "more than " + std::to_string(kMostOpen) + " \"[\" and \"{\" are open here");
    mark.column += static_cast<int>(character->bytes);
    if (character->value == '\n') mark = {mark.line + 1, 1};
    text.remove_prefix(character->bytes);
  }
}

/// If the file ends after a line break, yaml-cpp accepts an unfinished quoted scalar as complete. An appended
/// comment makes yaml-cpp report the fault, and changes nothing for other texts.
std::string with_sentinel(std::string_view text) {
  std::string whole(text);
  const size_t last = text.find_last_not_of(" \t");
  if (last == std::string_view::npos || (text[last] != '\n' && text[last] != '\r')) return whole;
  return whole + (last + 1 == text.size() ? "#" : "\n#");
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key.text == key) return &entry.value;
  return nullptr;
}

Mark mark_at(const Node& object, const std::vector<std::string>& steps, bool of_key) {
  const Node* node = &object;
  Mark mark = object.mark;
  for (const std::string& step : steps) {
    const auto entry = std::find_if(node->entries.begin(), node->entries.end(),
                                    [&](const Node::Entry& one) { return one.key.text == step; });
    const auto index = static_cast<size_t>(whole_number(step).value_or(INT_MAX));
    if (entry != node->entries.end()) {
      node = &entry->value;
      mark = of_key ? entry->key.mark : node->mark;
    } else if (index < node->items.size()) {
      node = &node->items[index];
      mark = node->mark;
    } else {
      break;
    }
  }
  return mark;
}

void keep_letters(Node& node) {
  constexpr std::string_view kLetters = "yYnN";
  const bool is_letter = node.text.size() == 1 && kLetters.find(node.text[0]) != std::string_view::npos;
  if (is_letter && node.tag.empty()) node.quoted = true;
  for (Node& item : node.items) keep_letters(item);
  for (Node::Entry& entry : node.entries) {
    keep_letters(entry.key);
    keep_letters(entry.value);
  }
}

std::string_view Node::kind_name() const {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::scalar: return "a scalar";
    case Kind::sequence: return "a list";
    case Kind::mapping: return "a mapping";
  }
  return "a value";
}

namespace {

/// yaml-cpp's messages (yaml-cpp/exceptions.h) describe its grammar, not the user's mistake.
std::string in_plain_words(const std::string& message) {
  static const std::map<std::string_view, const char*> kMessages = {
      {YAML::ErrorMsg::END_OF_MAP, "wrong indentation, or a \":\" is missing"},
      {YAML::ErrorMsg::END_OF_SEQ, "wrong indentation, or a \"- \" is missing"},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "a \"{\" before this is not closed"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a \"[\" before this is not closed"},
      {YAML::ErrorMsg::FLOW_END, "this closes a \"{\" or \"[\" that was not opened"},
      {YAML::ErrorMsg::MAP_KEY, "a key is not allowed here: check the indentation"},
      {YAML::ErrorMsg::MAP_VALUE,
       "a \": \" is not allowed here: check the indentation, or put text that contains it in quotes"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list item is not allowed here: check the indentation"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "a quoted text before this is not closed"},
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation: use spaces"}};
  const auto found = kMessages.find(message);
  return found == kMessages.end() ? message : found->second;
}

/// Whether the indentation of the line, counted from 0, has a tab.
bool has_tab_in_indentation(std::string_view text, int line) {
  for (; line > 0; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return contains(text.substr(0, text.find_first_not_of(" \t")), "\t");
}

}  // namespace

std::vector<Node> parse(std::string_view text, std::string_view source, const Limits& limits) {
  if (text.size() > limits.bytes)
    throw problem_at(
        source, {},
        "it has " + std::to_string(text.size()) + " bytes, more than " + std::to_string(limits.bytes));
  if (const auto converted = from_utf16(text)) return parse(*converted, source, limits);
  Builder builder(source, limits);
  if (read_json(text, builder)) return builder.take_documents();
  check_characters(text, source);
  const LongWords words(text);
  builder.restore(words);
  try {
    std::istringstream stream(with_sentinel(words.text()));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    throw problem_at(
        source, {e.mark.line + 1, e.mark.column + 1},
        in_plain_words(has_tab_in_indentation(text, e.mark.line) ? YAML::ErrorMsg::TAB_IN_INDENTATION
                                                                 : e.msg));
  }
  return builder.take_documents();
}

Node parse_one(std::string_view text, std::string_view source, const Limits& limits) {
  std::vector<Node> documents = parse(text, source, limits);
  if (documents.empty()) return {};
  if (documents.size() > 1)
    throw problem_at(source, documents[1].mark, "a second document starts here; only one is expected");
  return std::move(documents[0]);
}

namespace {

/// The position of the first key whose JSON form is `key`.
Mark mark_of_key(const Node& mapping, const std::string& key, std::string_view source) {
  return std::find_if(mapping.entries.begin(), mapping.entries.end(),
                      [&](const Node::Entry& entry) { return key_text(entry.key, source) == key; })
      ->key.mark;
}

}  // namespace

Json to_json(const Node& node, std::string_view source) {
  switch (node.kind) {
    case Kind::sequence: {
      Json list = Json::array();
      for (const Node& item : node.items) list.push_back(to_json(item, source));
      return list;
    }
    case Kind::mapping: {
      Json object = Json::object();
      for (const Node::Entry& entry : node.entries) {
        const std::string key = key_text(entry.key, source);
        if (!object.emplace(key, to_json(entry.value, source)).second)
          throw key_given_twice(source, key, entry.key.mark, mark_of_key(node, key, source));
      }
      return object;
    }
    default: return scalar_to_json(node, source);
  }
}

}  // namespace kml::yaml
