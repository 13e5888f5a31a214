#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kml::kube {

/// Splits a JSON list that arrives in pieces into its items, so that a long list is never completely in
/// memory.
class JsonListSplitter {
 public:
  explicit JsonListSplitter(std::function<void(std::string_view item)> on_item)
      : on_item_(std::move(on_item)) {}

  /// Throws Error (kTooLarge) if an item, or the rest of the document, is larger than an object may be.
  void take(std::string_view piece);

  /// The document without its items. Once all of it has arrived, it is valid JSON.
  const std::string& rest() const { return rest_; }

 private:
  void take_mark(char mark);
  void add(std::string_view text);
  bool in_item() const;

  std::function<void(std::string_view)> on_item_;
  std::string rest_, item_;
  /// the last string in the document outside the items, which is the key of the value that follows
  std::string last_text_;
  int depth_ = 0;
  bool in_text_ = false, is_escaped_ = false, in_items_ = false;
};

}  // namespace kml::kube
