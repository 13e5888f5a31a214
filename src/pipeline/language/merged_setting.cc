#include "pipeline/language/merged_setting.h"

#include <algorithm>

namespace kml::pipeline {

void lay_setting_over(yaml::Node& below, const yaml::Node& above) {
  if (below.kind != yaml::Kind::mapping || above.kind != yaml::Kind::mapping) {
    below = above;
    return;
  }
  for (const yaml::Node::Entry& entry : above.entries) {
    const auto there = std::find_if(below.entries.begin(), below.entries.end(),
                                    [&](const auto& each) { return each.key.text == entry.key.text; });
    if (there == below.entries.end())
      below.entries.push_back(entry);
    else
      there->value = entry.value;
  }
}

}  // namespace kml::pipeline
