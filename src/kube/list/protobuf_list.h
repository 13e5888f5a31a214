#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::kube {

struct Field;
/// The fields to read from a message; all others are skipped. Field numbers are those in Kubernetes'
/// generated.proto files. They never change within an API version.
using Message = std::span<const Field>;

struct Field {
  enum class Type {
    text,          ///< left out if empty, as in JSON
    number,        ///< a number; kept even if it is 0, because the default may differ
    count,         ///< left out if 0
    boolean,       ///< left out if false
    time,          ///< metav1.Time; left out if zero
    object,        ///< a message
    list,          ///< of messages
    text_list,     ///< of strings
    text_map,      ///< map<string, string>
    quantity_map,  ///< map<string, resource.Quantity>
  };
  int number;
  std::string_view name;  ///< the name in JSON
  Type type;
  Message message = {};                               ///< the fields of an object, or of a list's items
  bool (*keeps)(const Json& item) = nullptr;          ///< whether to keep an item of a list; null keeps all
  bool (*keeps_key)(std::string_view key) = nullptr;  ///< whether to keep an entry of a text_map
};

/// The message as JSON, with only the fields in the table. Throws Error if the bytes are invalid.
Json from_protobuf(std::string_view bytes, Message message);

/// The Status of a failed request, with the fields that messages to users need. Throws Error if the response
/// is not protobuf. https://github.com/kubernetes/apimachinery/blob/v0.34.3/pkg/apis/meta/v1/generated.proto
Json status_from_protobuf(std::string_view response);

/// Splits a protobuf list that arrives in pieces into its items. The API server sends the four bytes "k8s\0"
/// and a runtime.Unknown, whose field `raw` contains the list.
class ProtobufListSplitter {
 public:
  explicit ProtobufListSplitter(std::function<void(std::string_view item)> on_item)
      : on_item_(std::move(on_item)) {}

  /// Throws Error if the bytes are not such a list.
  void take(std::string_view piece);
  /// Whether the announced number of bytes has arrived.
  bool is_whole() const { return in_list_ && left_in_list_ == 0 && buffer_.empty(); }

 private:
  /// Removes one field from the front; returns false if it is still incomplete.
  bool take_field(std::string_view& bytes);

  std::function<void(std::string_view)> on_item_;
  std::string buffer_;
  bool begun_ = false;
  bool in_list_ = false;
  uint64_t left_in_list_ = 0;
};

}  // namespace kml::kube
