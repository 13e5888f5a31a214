#pragma once

#include <yaml-cpp/eventhandler.h>

#include <string_view>

namespace kml::yaml {

/// Reads a text that is JSON as the events of YAML, each with its place. JSON is almost a part of YAML, but a
/// scanner of YAML takes no surrogate pairs ("\ud83d\ude80", as Python's json.dumps writes an emoji), no raw
/// DEL, and no long keys. Returns false, without any event, if the text is no JSON.
bool read_json(std::string_view text, YAML::EventHandler& events);

}  // namespace kml::yaml
