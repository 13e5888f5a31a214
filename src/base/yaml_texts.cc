#include "kml/base/yaml_texts.h"

#include "base/yaml_scalar.h"

namespace kml::yaml {

namespace {

/// Calls `take` for all scalars without quotes or a tag.
template <typename Take>
void each_plain_scalar(Node& node, const Take& take) {
  if (node.kind == Kind::scalar && !node.quoted && node.tag.empty()) take(node);
  for (Node& item : node.items) each_plain_scalar(item, take);
  for (Node::Entry& entry : node.entries) each_plain_scalar(entry.value, take);
}

bool is_zero(std::string_view text) {
  return text.find('.') != std::string_view::npos && text.find_first_not_of("+-0.") == std::string_view::npos;
}

}  // namespace

void keep_texts(Node& node) {
  each_plain_scalar(node, [](Node& scalar) {
    const auto value = resolve_plain(scalar.text);
    scalar.quoted = value && !value->is_null() && value->dump() != scalar.text;
  });
}

void keep_number_texts(Node& node) {
  each_plain_scalar(node, [](Node& scalar) {
    const auto value = resolve_plain(scalar.text);
    scalar.quoted = value && value->is_number() && value->dump() != scalar.text && !is_zero(scalar.text);
  });
}

void keep_boolean_texts(Node& node) {
  each_plain_scalar(node, [](Node& scalar) {
    const auto value = resolve_plain(scalar.text);
    scalar.quoted = value && value->is_boolean() && value->dump() != scalar.text;
  });
}

void keep_keys(Node& node) {
  for (Node& item : node.items) keep_keys(item);
  for (Node::Entry& entry : node.entries) {
    entry.key.quoted = entry.key.quoted || entry.key.tag.empty();
    keep_keys(entry.value);
  }
}

void make_strings(Node& node) {
  each_plain_scalar(node, [](Node& scalar) { scalar.quoted = true; });
}

}  // namespace kml::yaml
