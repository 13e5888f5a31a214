#include "ui/log_json.h"

#include "kml/core/json.h"

namespace kml::ui {

std::string json_of(const jobs::LogSource& source) {
  Json object = {{"namespace", source.namespace_name},
                 {"pod", source.pod},
                 {"container", source.container},
                 {"restart", source.restart}};
  if (!source.job.empty()) object["job"] = source.job;
  if (!source.node.empty()) object["node"] = source.node;
  if (source.rank) {
    object["rank"] = *source.rank;
    object["attempt"] = source.attempt;
  }
  std::string text = json_text(object);
  text.pop_back();
  return text;
}

void append_json(const jobs::LogLine& line, std::string& out) {
  if (!line.stamp.empty()) out.append(",\"time\":\"").append(line.stamp) += '"';
  if (!line.begins) out += ",\"begins\":false";
  if (!line.ends) out += ",\"ends\":false";
  out += ",\"text\":";
  out += json_text(line.text);
  out += "}\n";
}

}  // namespace kml::ui
