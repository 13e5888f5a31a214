#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::kube {

struct Field;
/// The fields of a message that are of use; others are passed over. Numbers are those of Kubernetes'
/// generated.proto files, which never change within a version of an API.
using Message = std::span<const Field>;

struct Field {
  enum class Type {
    text,          ///< left out where empty, as in JSON
    number,        ///< also 0, which may differ from the default
    count,         ///< left out where 0
    boolean,       ///< left out where false
    time,          ///< metav1.Time; left out where zero
    object,        ///< a message
    list,          ///< of messages
    text_list,     ///< of strings
    text_map,      ///< map<string, string>
    quantity_map,  ///< map<string, resource.Quantity>
  };
  int number;
  std::string_view name;  ///< in JSON
  Type type;
  Message message = {};                               ///< of object and list
  bool (*keeps)(const Json& item) = nullptr;          ///< which items of a list; all where there is none
  bool (*keeps_key)(std::string_view key) = nullptr;  ///< which entries of a text_map
};

/// The message as JSON, with the fields that the table names. Throws Error for broken bytes.
Json from_protobuf(std::string_view bytes, Message message);

/// Cuts the items out of a list that comes in pieces, as the API server sends it in protobuf: the four bytes
/// "k8s\0", a runtime.Unknown, and in its field `raw` the list.
class ProtobufListSplitter {
 public:
  explicit ProtobufListSplitter(std::function<void(std::string_view item)> on_item)
      : on_item_(std::move(on_item)) {}

  /// Throws Error if the bytes are no such list.
  void take(std::string_view piece);
  /// Whether all that was announced has come.
  bool is_whole() const { return in_list_ && left_in_list_ == 0 && buffer_.empty(); }

 private:
  /// Takes one field off the front; false if it is not there yet as a whole.
  bool take_field(std::string_view& bytes);

  std::function<void(std::string_view)> on_item_;
  std::string buffer_;
  bool begun_ = false;
  bool in_list_ = false;
  uint64_t left_in_list_ = 0;
};

}  // namespace kml::kube
