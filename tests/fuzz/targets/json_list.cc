// Lists in JSON: in pieces of any size, they give the same items as a parser that reads the whole document.
#include "kube/list/json_list.h"

#include <vector>

#include "fuzz/input.h"
#include "kml/base/json.h"

using namespace kml;

namespace {

struct Parts {
  std::vector<std::string> items;
  std::string rest;
  bool operator==(const Parts&) const = default;
};

Parts split(std::string_view text, size_t step) {
  Parts parts;
  kube::JsonListSplitter splitter([&](std::string_view item) { parts.items.emplace_back(item); });
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) splitter.take(text.substr(0, step));
  parts.rest = splitter.rest();
  return parts;
}

/// Whether the text has "items" exactly once, and no escape that may spell it. Otherwise, a parser may take
/// another list for the items: if a key is repeated, it keeps the last one.
bool is_plain(std::string_view text) {
  const size_t first = text.find("items");
  return first != std::string_view::npos && text.find("items", first + 1) == std::string_view::npos &&
         text.find("\\u") == std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Parts whole = split(text, size + 1);
  fuzz::require(whole == split(text, 1) && whole == split(text, 7));
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_object() || !is_plain(text)) return 0;
  std::vector<Json> wanted;
  for (const Json& item : array_at(list, {"items"}))
    if (item.is_object()) wanted.push_back(item);
  std::vector<Json> found;
  for (const std::string& item : whole.items)
    if (Json value = Json::parse(item, nullptr, false); value.is_object()) found.push_back(std::move(value));
  fuzz::require(found == wanted);
  return 0;
}
