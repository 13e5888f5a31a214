#pragma once

#include <yaml-cpp/eventhandler.h>

#include <string_view>

namespace kml::yaml {

/// Reads a JSON text as YAML events, each with its position. JSON is almost a part of YAML, but a YAML
/// scanner rejects surrogate pairs ("\ud83d\ude80", as Python's json.dumps writes an emoji), raw DEL, and
/// long keys. Returns false, without any event, if the text is not JSON.
bool read_json(std::string_view text, YAML::EventHandler& events);

}  // namespace kml::yaml
