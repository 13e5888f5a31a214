#include "kml/ui/objects.h"

#include <ostream>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/ui/json_template.h"

namespace kml::ui {

std::string object_name(const Json& object) {
  std::string kind = lower(api::kind_name(object));
  std::string version = api::api_version_of(object);
  if (size_t slash = version.find('/'); slash != std::string::npos) kind += "." + version.substr(0, slash);
  return kind + "/" + api::name_of(object);
}

bool is_data(std::string_view format) {
  return format == "json" || format == "yaml" || format.starts_with(kJsonPath) ||
         format.starts_with(kCustomColumns);
}

void check_format(std::string_view format) {
  if (format == kJsonPath)
    throw usage_error("jsonpath= needs a JSONPath template", "", "-o jsonpath={.metadata.name}");
  if (format.starts_with(kJsonPath)) JsonTemplate(format.substr(kJsonPath.size()));
  if (format.starts_with(kCustomColumns)) CustomColumns(format.substr(kCustomColumns.size()));
}

void print_value(const Streams& streams, const Json& value, const std::string& format, bool with_header) {
  if (format.starts_with(kJsonPath)) {
    streams.out << JsonTemplate(std::string_view(format).substr(kJsonPath.size())).text_of(value);
    return;
  }
  if (format.starts_with(kCustomColumns)) {
    std::vector<const Json*> rows;
    if (value.is_array())
      for (const Json& item : value) rows.push_back(&item);
    else
      rows.push_back(&value);
    streams.out
        << CustomColumns(std::string_view(format).substr(kCustomColumns.size())).table_of(rows, with_header);
    return;
  }
  if (format == "yaml")
    streams.out << yaml::to_yaml(value);
  else
    streams.out << json_text(value, 2) << "\n";
}

bool print_objects(const Streams& streams, std::span<const Json> objects, const std::string& format,
                   bool as_list, bool with_header) {
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
  if (!is_data(format)) return false;
  if (format.starts_with(kCustomColumns))
    print_value(streams, Json(objects), format, with_header);
  else if (!as_list && objects.size() == 1)
    print_value(streams, objects[0], format);
  else
    print_value(streams, {{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}, format);
  return true;
}

}  // namespace kml::ui
