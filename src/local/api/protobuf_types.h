#pragma once

#include <string_view>

namespace kml::local {

/// The messages that the server reads as protobuf, one per line: "Sysctl = 1 name s, 2 value s". For each
/// field, the line has its number, its name in JSON and its type. Types are: s string, y bytes, i integer, z
/// integer that is omitted if 0, n integer or string, b bool, f bool that is omitted if false, q quantity, -
/// ignored, [T] list, {T} map; other words are names of messages. If a field has the name "^", the fields of
/// its message become fields of the outer message.
std::string_view protobuf_types();

}  // namespace kml::local
