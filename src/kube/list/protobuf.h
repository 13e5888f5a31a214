#pragma once

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

/// The message as JSON, with the fields that the table names. Throws Error for broken bytes.
Json from_protobuf(std::string_view bytes, Message message);

}  // namespace kml::kube
