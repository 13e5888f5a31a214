#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::ui {

/// A JSONPath template as kubectl's `-o jsonpath=` takes it: {.items[*].metadata.name}, {range}…{end},
/// filters, quoted text. Reference: k8s.io/client-go/util/jsonpath, whose rules and errors these are, but for
/// the order of a mapping's values, which is by key here and by chance there. A missing key is not an error.
class JsonTemplate {
 public:
  /// Throws usage Error for a text that is not a template.
  explicit JsonTemplate(std::string_view text);
  ~JsonTemplate();
  JsonTemplate(JsonTemplate&&) noexcept;

  /// What it prints of a value. Throws Error (failure) if the value does not fit the template.
  std::string text_of(const Json& value) const;
  /// What its first expression finds, each as a table's cell shows it.
  std::vector<std::string> cells_of(const Json& value) const;

  struct Node;

 private:
  std::vector<Node> nodes_;
};

/// Columns as `-o custom-columns=NAME:.metadata.name,…` has them.
class CustomColumns {
 public:
  /// Throws usage Error for a text that names no columns.
  explicit CustomColumns(std::string_view text);

  /// Header and rows, as kubectl aligns them.
  std::string table_of(const std::vector<const Json*>& objects, bool with_header = true) const;

 private:
  std::vector<std::string> headers_;
  std::vector<JsonTemplate> paths_;
};

}  // namespace kml::ui
