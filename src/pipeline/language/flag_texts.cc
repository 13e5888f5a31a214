#include "pipeline/language/flag_texts.h"

#include "kml/base/yaml_texts.h"

namespace kml::pipeline {

void keep_flag_texts(yaml::Node& flags) {
  for (yaml::Node::Entry& flag : flags.entries) {
    if (flag.value.kind == yaml::Kind::scalar) yaml::keep_number_texts(flag.value);
    for (yaml::Node& item : flag.value.items)
      if (item.kind == yaml::Kind::scalar) yaml::keep_texts(item);
    for (yaml::Node::Entry& entry : flag.value.entries)
      if (entry.value.kind == yaml::Kind::scalar) yaml::keep_texts(entry.value);
  }
}

}  // namespace kml::pipeline
