#include "kube/list/json_list.h"

#include <algorithm>
#include <utility>

#include "kml/base/memory.h"
#include "kml/base/text.h"

namespace kml::kube {

namespace {

/// The nesting depth of the list's own fields, and of its items.
constexpr int kOfList = 1, kOfItems = 2;

/// The length of the text before the next character that opens or closes something. Every byte of a list
/// passes through here, and find_first_of() would take five times as long.
size_t size_of_plain(std::string_view text, bool in_text) {
  const auto closes_text = [](char c) { return c == '"' || c == '\\'; };
  const auto is_mark = [](char c) { return c == '"' || c == '{' || c == '}' || c == '[' || c == ']'; };
  const auto end = in_text ? std::ranges::find_if(text, closes_text) : std::ranges::find_if(text, is_mark);
  return static_cast<size_t>(end - text.begin());
}

}  // namespace

void JsonListSplitter::take(std::string_view piece) {
  while (!piece.empty()) {
    const std::string_view plain = piece.substr(0, is_escaped_ ? 1 : size_of_plain(piece, in_text_));
    piece.remove_prefix(plain.size());
    add(plain);
    if (in_text_ && depth_ == kOfList) last_text_ += plain;
    if (std::exchange(is_escaped_, false) || piece.empty()) continue;
    take_mark(piece[0]);
    piece.remove_prefix(1);
  }
}

bool JsonListSplitter::in_item() const {
  return in_items_ && depth_ > kOfItems;
}

/// Adds text to the document or the item. Drops the text between items.
void JsonListSplitter::add(std::string_view text) {
  if (in_items_ && !in_item()) return;
  std::string& to = in_item() ? item_ : rest_;
  if (to.size() + text.size() > kLargestObject)
    throw too_large("an object of the list", "an object may have " + size_text(kLargestObject));
  to += text;
}

void JsonListSplitter::take_mark(char mark) {
  const std::string_view text(&mark, 1);
  switch (mark) {
    case '\\':
      add(text);
      is_escaped_ = true;
      break;
    case '"':
      add(text);
      in_text_ = !in_text_;
      if (in_text_ && depth_ == kOfList) last_text_.clear();
      break;
    case '[':
    case '{':
      ++depth_;
      add(text);
      in_items_ = in_items_ || (mark == '[' && depth_ == kOfItems && last_text_ == "items");
      break;
    default:
      if (depth_ == kOfItems) in_items_ = false;
      add(text);
      --depth_;
      if (!in_items_ || depth_ != kOfItems) break;
      on_item_(item_);
      item_.clear();
  }
}

}  // namespace kml::kube
