#include "kube/list/protobuf_list.h"

#include "kml/core/wire.h"

namespace kml::kube {

namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr uint64_t kRawTag = 2 << 3 | 2;  ///< runtime.Unknown.raw, and a list's items: field 2, of bytes
/// etcd takes no larger objects than a few MiB.
constexpr uint64_t kLargestItem = uint64_t{64} << 20;

Error no_list() {
  return {ErrorCode::unreachable, "the server's answer is broken", "it is no list in protobuf"};
}

/// Empty where it is not there yet as a whole.
std::optional<uint64_t> varint_of(std::string_view& bytes) {
  constexpr size_t kLongestVarint = 10;
  const auto value = take_varint(bytes);
  if (!value && bytes.size() >= kLongestVarint) throw no_list();
  return value;
}

}  // namespace

void ProtobufListSplitter::take(std::string_view piece) {
  buffer_.append(piece);
  std::string_view bytes = buffer_;
  if (!begun_ && bytes.size() >= kMagic.size()) {
    if (!bytes.starts_with(kMagic)) throw no_list();
    bytes.remove_prefix(kMagic.size());
    begun_ = true;
  }
  while (begun_ && take_field(bytes)) {
  }
  buffer_.erase(0, buffer_.size() - bytes.size());
}

bool ProtobufListSplitter::take_field(std::string_view& bytes) {
  std::string_view rest = bytes;
  const auto tag = varint_of(rest);
  if (!tag) return false;
  if ((*tag & 7) != 2) throw no_list();  // all fields of both messages are of bytes
  const auto size = varint_of(rest);
  if (!size) return false;
  if (*tag == kRawTag && !in_list_) {
    in_list_ = true;
    left_in_list_ = *size;
    bytes = rest;
    return true;
  }
  if (*size > kLargestItem) throw no_list();
  if (rest.size() < *size) return false;
  const uint64_t taken = bytes.size() - rest.size() + *size;
  if (left_in_list_ > 0) {
    if (taken > left_in_list_) throw no_list();
    left_in_list_ -= taken;
    if (*tag == kRawTag) on_item_(rest.substr(0, *size));
  }
  bytes.remove_prefix(taken);
  return true;
}

}  // namespace kml::kube
