#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::yaml {

/// A position in a text; both numbers start from 1.
struct Mark {
  int line = 0;
  int column = 0;
};

enum class Kind { null, scalar, sequence, mapping };

/// A YAML value with its position in the text. Aliases are expanded, and merge keys (`<<`) are applied. A
/// mapping keeps its order.
struct Node {
  struct Entry;

  Kind kind = Kind::null;
  Mark mark;
  std::string text;  ///< the text of a scalar, without quotes
  std::string tag;   ///< the node's tag, such as "tag:yaml.org,2002:str"; empty if there is none
  /// whether the value is a scalar in quotes or a block scalar, which is always a string
  bool quoted = false;
  std::vector<Node> items;
  std::vector<Entry> entries;

  /// The value of a key in a mapping; nullptr if it is missing.
  const Node* find(std::string_view key) const;
  /// The kind in the words of error messages: "a scalar", "a mapping".
  std::string_view kind_name() const;
};

struct Node::Entry {
  Node key;  ///< always a scalar
  Node value;
};

/// The position to which the steps (keys and indexes) lead: with `of_key`, the position of the last key,
/// otherwise the position of its value. Stops at the first step that is missing.
Mark mark_at(const Node& object, const std::vector<std::string>& steps, bool of_key);

/// Limits for a parsed text. They are needed because aliases can make a small text expand enormously.
struct Limits {
  size_t bytes = size_t{32} << 20;
  size_t nodes = 1'000'000;      ///< how many nodes all documents have, without those copied by aliases
  size_t alias_nodes = 100'000;  ///< how many nodes are copied for anchors and aliases
  int depth = 100;
};

/// Parses the documents in a text. The text is UTF-8, or UTF-16 if it starts with the byte order mark of
/// UTF-16. Throws usage Error with one problem, such as a syntax error, an unknown alias, a duplicate key, a
/// key that is not a scalar, or a limit that was exceeded. `source` is the text's name for messages.
std::vector<Node> parse(std::string_view text, std::string_view source, const Limits& limits = {});

/// Parses a text that has one document; null for an empty text. Throws usage Error if there are several
/// documents.
Node parse_one(std::string_view text, std::string_view source, const Limits& limits = {});

/// Turns unquoted y, Y, n and N into strings, as PyYAML does. Otherwise, to_json() turns them into booleans,
/// as Kubernetes does.
void keep_letters(Node& node);

/// Converts the value to JSON as kubectl does (sigs.k8s.io/yaml based on go-yaml v2): with YAML 1.1 booleans,
/// hexadecimal and octal integers, and with times and keys as strings. Throws usage Error for a value that
/// JSON cannot represent.
Json to_json(const Node& node, std::string_view source);
/// Like to_json(), for a single scalar.
Json scalar_to_json(const Node& scalar, std::string_view source);
/// The key of a mapping in the form of a JSON key.
std::string key_text(const Node& key, std::string_view source);

/// The value as YAML in the same format as kubectl's. Quotes a string if a reader of YAML 1.1 or 1.2 would
/// otherwise read it as a different type. A string with several lines becomes a literal block if that
/// preserves it exactly.
std::string to_yaml(const Json& value);

}  // namespace kml::yaml
