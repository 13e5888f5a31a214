#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"

namespace kml::yaml {

/// A place in a text, from 1.
struct Mark {
  int line = 0;
  int column = 0;
};

enum class Kind { null, scalar, sequence, mapping };

/// A YAML value with its place. Aliases are expanded and merge keys (`<<`) applied; a mapping keeps its
/// order.
struct Node {
  struct Entry;

  Kind kind = Kind::null;
  Mark mark;
  std::string text;     ///< of a scalar, unquoted
  std::string tag;      ///< as in "tag:yaml.org,2002:str"; empty if none was written
  bool quoted = false;  ///< a scalar with quotes, or a block scalar: always a string
  std::vector<Node> items;
  std::vector<Entry> entries;

  /// The value of a mapping's key, or nullptr.
  const Node* find(std::string_view key) const;
  /// "a string", "a mapping": for messages.
  std::string_view kind_name() const;
};

struct Node::Entry {
  Node key;  ///< a scalar
  Node value;
};

/// What a text may cost: aliases can make a small one huge.
struct Limits {
  size_t bytes = size_t{32} << 20;
  size_t nodes = 1'000'000;      ///< in all documents, aliases expanded
  size_t alias_nodes = 100'000;  ///< of those, copied by aliases and merges
  int depth = 100;
};

/// The documents of a text. Throws Error (usage) with one problem, at its place: a syntax error, an unknown
/// alias, a key twice in a mapping, a key that is not a scalar, a limit passed. `source` names the text.
std::vector<Node> parse(std::string_view text, std::string_view source, const Limits& limits = {});

/// Such a text's one document; null for an empty text. Throws Error (usage) if there are several.
Node parse_one(std::string_view text, std::string_view source, const Limits& limits = {});

/// Makes texts of a plain y, Y, n and N, as PyYAML has them: to_json() makes true and false of them, as
/// Kubernetes.
void keep_letters(Node& node);

/// The value as kubectl would send it: YAML 1.1 booleans, hexadecimal and octal integers, times as strings,
/// keys as strings (sigs.k8s.io/yaml over go-yaml v2). Throws Error (usage) for what JSON has no form for.
Json to_json(const Node& node, std::string_view source);
/// Of one scalar.
Json scalar_to_json(const Node& scalar, std::string_view source);
/// A mapping's key as JSON has it.
std::string key_text(const Node& key, std::string_view source);

/// The value as YAML, as kubectl prints it. A string that any YAML 1.1 or 1.2 reader would take for something
/// else is quoted; one with several lines is a literal block where that keeps it exactly.
std::string to_yaml(const Json& value);

}  // namespace kml::yaml
