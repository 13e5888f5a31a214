#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kml::kube {

/// Cuts the items out of a list that comes in pieces, as the API server sends it in protobuf: the four bytes
/// "k8s\0", a runtime.Unknown, and in its field `raw` the list.
class ProtobufListSplitter {
 public:
  explicit ProtobufListSplitter(std::function<void(std::string_view item)> on_item)
      : on_item_(std::move(on_item)) {}

  /// Throws Error where the bytes are no such list.
  void take(std::string_view piece);
  /// Whether all that was announced has come.
  bool is_whole() const { return in_list_ && left_in_list_ == 0 && buffer_.empty(); }

 private:
  /// Takes one field off the front; false where it is not there yet as a whole.
  bool take_field(std::string_view& bytes);

  std::function<void(std::string_view)> on_item_;
  std::string buffer_;
  bool begun_ = false;
  bool in_list_ = false;
  uint64_t left_in_list_ = 0;
};

}  // namespace kml::kube
