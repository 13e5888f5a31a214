#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::ui {

/// A JSONPath template in the syntax of kubectl's `-o jsonpath=`: {.items[*].metadata.name}, {range}…{end},
/// filters, quoted text. Follows the rules of k8s.io/client-go/util/jsonpath, except that a mapping's values
/// are sorted by key instead of being in random order. A missing key is not an error.
class JsonTemplate {
 public:
  /// Throws usage Error for an invalid template.
  explicit JsonTemplate(std::string_view text);
  ~JsonTemplate();
  JsonTemplate(JsonTemplate&&) noexcept;

  /// Applies the template to a value. Throws Error (failure) if the value does not fit the template.
  std::string text_of(const Json& value) const;
  /// The results of all expressions, each as text for a table cell.
  std::vector<std::string> cells_of(const Json& value) const;

  struct Node;

 private:
  std::vector<Node> nodes_;
};

/// The columns of `-o custom-columns=NAME:.metadata.name,…`.
class CustomColumns {
 public:
  /// Throws usage Error if the text is empty or has an invalid column.
  explicit CustomColumns(std::string_view text);

  /// The header and the rows, aligned as kubectl aligns them.
  std::string table_of(const std::vector<const Json*>& objects, bool with_header = true) const;

 private:
  std::vector<std::string> headers_;
  std::vector<JsonTemplate> paths_;
};

}  // namespace kml::ui
