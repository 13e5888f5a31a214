#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::yaml {

/// A place in a text; both count from 1.
struct Mark {
  int line = 0;
  int column = 0;
};

enum class Kind { null, scalar, sequence, mapping };

/// A YAML value and its place in the text. Aliases are expanded and merge keys (`<<`) applied; a mapping
/// keeps its order.
struct Node {
  struct Entry;

  Kind kind = Kind::null;
  Mark mark;
  std::string text;     ///< a scalar's text, without quotes
  std::string tag;      ///< as in "tag:yaml.org,2002:str"; empty if the text has no tag
  bool quoted = false;  ///< a scalar in quotes, or a block scalar: always a string
  std::vector<Node> items;
  std::vector<Entry> entries;

  /// The value of a key in a mapping, or nullptr.
  const Node* find(std::string_view key) const;
  /// The kind as error messages name it: "a string", "a mapping".
  std::string_view kind_name() const;
};

struct Node::Entry {
  Node key;  ///< always a scalar
  Node value;
};

/// The position in the text to which the steps lead, keys and indexes: that of the last key if `of_key`,
/// otherwise that of its value. Stops at a missing step.
Mark mark_at(const Node& object, const std::vector<std::string>& steps, bool of_key);

/// Limits on a parsed text. They are needed because aliases can make a small text huge.
struct Limits {
  size_t bytes = size_t{32} << 20;
  size_t nodes = 1'000'000;      ///< in all documents, including copies by aliases
  size_t alias_nodes = 100'000;  ///< nodes copied by aliases and merges
  int depth = 100;
};

/// Parses the documents of a text, in UTF-8 or with a byte order mark in UTF-16. Throws Error (usage) with
/// one problem and its place: a syntax error, an unknown alias, a duplicate key, a key that is not a scalar,
/// or an exceeded limit. `source` names the text.
std::vector<Node> parse(std::string_view text, std::string_view source, const Limits& limits = {});

/// Parses a text with one document; null for an empty text. Throws Error (usage) if the text has several
/// documents.
Node parse_one(std::string_view text, std::string_view source, const Limits& limits = {});

/// Turns unquoted y, Y, n and N into strings, as PyYAML does. Without this, to_json() turns them into
/// booleans, as Kubernetes does.
void keep_letters(Node& node);

/// Converts the value to JSON as kubectl does (sigs.k8s.io/yaml over go-yaml v2): YAML 1.1 booleans,
/// hexadecimal and octal integers, times as strings, keys as strings. Throws Error (usage) for a value that
/// JSON cannot express.
Json to_json(const Node& node, std::string_view source);
/// The same for one scalar.
Json scalar_to_json(const Node& scalar, std::string_view source);
/// A mapping's key as a JSON key.
std::string key_text(const Node& key, std::string_view source);

/// The value as YAML in kubectl's format. Quotes strings that a YAML 1.1 or 1.2 reader would take for another
/// type. A string of several lines becomes a literal block if that preserves it exactly.
std::string to_yaml(const Json& value);

}  // namespace kml::yaml
