#pragma once

#include <yaml-cpp/eventhandler.h>

#include <string_view>

namespace kml::yaml {

/// Reads a JSON text as YAML events with positions. JSON is almost a subset of YAML, but a YAML scanner
/// rejects surrogate pairs ("\ud83d\ude80", as Python's json.dumps writes an emoji), raw DEL, and long keys.
/// If the text is not a JSON object or list, sends no event and returns false.
bool read_json(std::string_view text, YAML::EventHandler& events);

}  // namespace kml::yaml
