#pragma once

#include <string_view>

namespace kml::local {

/// The messages that the server reads as protobuf, one per line: "Sysctl = 1 name s, 2 value s". Each field
/// has its number, its name in JSON and its type: s string, y bytes, i integer, z integer that is omitted if
/// 0, n integer or string, b bool, f bool that is omitted if false, q quantity, - ignored, [T] list, {T} map;
/// all other types are names of messages. The fields of a message with the name "^" become the owner's own.
std::string_view protobuf_types();

}  // namespace kml::local
