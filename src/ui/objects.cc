#include "kml/ui/objects.h"

#include <ostream>

#include "kml/api/object.h"
#include "kml/api/resource.h"
#include "kml/core/text.h"
#include "kml/core/yaml.h"

namespace kml::ui {

std::string object_name(const Json& object) {
  std::string kind = lower(api::kind_name(object));
  std::string version = api::api_version_of(object);
  if (size_t slash = version.find('/'); slash != std::string::npos) kind += "." + version.substr(0, slash);
  return kind + "/" + api::name_of(object);
}

void print_value(const Streams& streams, const Json& value, const std::string& format) {
  if (format == "yaml")
    streams.out << yaml::to_yaml(value);
  else
    streams.out << json_text(value, 2) << "\n";
}

bool print_objects(const Streams& streams, std::span<const Json> objects, const std::string& format,
                   bool as_list) {
  if (format == "name") {
    for (const Json& object : objects) streams.out << object_name(object) << "\n";
    return true;
  }
  if (format == "yaml") {
    for (const Json& object : objects) {
      if (&object != objects.data()) streams.out << "---\n";
      print_value(streams, object, format);
    }
    return true;
  }
  if (format != "json") return false;
  if (!as_list && objects.size() == 1)
    print_value(streams, objects[0], format);
  else
    print_value(streams, {{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}, format);
  return true;
}

}  // namespace kml::ui
