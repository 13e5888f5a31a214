#pragma once

#include <cstdint>
#include <optional>
#include <span>
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

/// Takes protobuf's wire format apart, field by field. Throws Error where it is cut short or broken.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// The next field's number; 0 at the end. Its value is then in `integer` or in `bytes`.
  int next();
  uint64_t integer = 0;
  std::string_view bytes;

 private:
  std::string_view rest_;
};

/// A varint at the start of the bytes, which are moved behind it; none where it is not whole yet. Throws
/// Error for what is none.
std::optional<uint64_t> take_varint(std::string_view& bytes);

/// The message as JSON, with the fields that the table names. Throws Error for broken bytes.
Json from_protobuf(std::string_view bytes, Message message);

}  // namespace kml::kube
