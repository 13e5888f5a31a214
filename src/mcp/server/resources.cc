#include "mcp/server/resources.h"

#include <algorithm>
#include <vector>

#include "cli/output_schemas.h"
#include "kml/base/text.h"

namespace kml::mcp {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kScheme = "kml://";

struct ResourceRow {
  const char* uri;
  const char* name;
  const char* description;
};

constexpr ResourceRow kResources[] = {
    {"kml://queue", "queue", "Running and waiting jobs, in queue order"},
    {"kml://runs", "runs", "Runs with their parameters and metrics"},
    {"kml://artifacts", "artifacts", "Artifacts of pipeline runs"},
};

constexpr ResourceRow kTemplates[] = {
    {"kml://job/{name}/log", "log", "The last lines of a job's log"},
    {"kml://job/{name}/why", "why", "Why a job does not run, or why it failed"},
    {"kml://run/{name}", "run", "The steps of a pipeline run"},
    {"kml://sweep/{name}", "sweep", "The trials of a sweep, and its best values"},
    {"kml://serve/{name}", "serve", "A served program: its state, address and replicas"},
    {"kml://schema/{command}", "schema", "The JSON Schema of a command's output, such as top-nodes"},
};

Json row_as_json(const ResourceRow& row, const char* key) {
  return {{key, row.uri}, {"name", row.name}, {"description", row.description}, {"mimeType", "text/plain"}};
}

Json contents(const std::string& uri, const std::string& text) {
  return {{"contents", {{{"uri", uri}, {"mimeType", "text/plain"}, {"text", text}}}}};
}

class ReadByCommand : public Call {
 public:
  ReadByCommand(std::string uri, Words words, size_t most_bytes)
      : uri_(std::move(uri)), words_(std::move(words)), most_bytes_(most_bytes) {}

  std::optional<Words> next(const std::vector<Ran>& ran) override {
    return ran.empty() ? std::optional(words_) : std::nullopt;
  }

  /// JSON lines, such as those of a log, are cut at the front, so that the last lines remain.
  Json result(const std::vector<Ran>& ran) override {
    const Said said = said_by(ran.back());
    if (!said.error.is_null()) return contents(uri_, marked(compact_text(cleaned(said.error))));
    if (!said.data.is_string()) {
      Json cut = Json::array();
      return contents(uri_, marked(compact_text(bounded(cleaned(said.data), most_bytes_, false, cut))));
    }
    std::vector<std::string> lines;
    size_t bytes = 0;
    const std::vector<std::string> all = split(said.data.get_ref<const std::string&>(), '\n');
    for (auto line = all.rbegin(); line != all.rend() && bytes + line->size() < most_bytes_; ++line) {
      lines.push_back(cleaned_text(string_at(Json::parse(*line, nullptr, false), {"text"}, *line)));
      bytes += line->size();
    }
    std::reverse(lines.begin(), lines.end());
    return contents(uri_, marked(join(lines, "\n")));
  }

 private:
  std::string uri_;
  Words words_;
  size_t most_bytes_;
};

/// The command that prints the resource. Empty if there is no such resource.
Words command_of(const Words& parts) {
  const auto is = [&](size_t size, const char* first) { return parts.size() == size && parts[0] == first; };
  if (parts.size() > 1 && (parts[1].empty() || parts[1].starts_with("-"))) return {};
  if (is(1, "queue")) return {"queue", "-o", "json"};
  if (is(1, "runs")) return {"runs", "-o", "json"};
  if (is(1, "artifacts")) return {"artifact", "list", "-o", "json"};
  if (is(2, "run")) return {"run", "status", parts[1], "-o", "json"};
  if (is(2, "sweep") || is(2, "serve")) return {parts[0], "status", parts[1], "-o", "json"};
  if (is(3, "job") && parts[2] == "log") return {"logs", "-o", "json", parts[1]};
  if (is(3, "job") && parts[2] == "why") return {"why", "-o", "json", parts[1]};
  return {};
}

}  // namespace

Json resources() {
  Json list = Json::array();
  for (const ResourceRow& row : kResources) list.push_back(row_as_json(row, "uri"));
  return {{"resources", list}};
}

Json resource_templates() {
  Json list = Json::array();
  for (const ResourceRow& row : kTemplates) list.push_back(row_as_json(row, "uriTemplate"));
  return {{"resourceTemplates", list}};
}

std::variant<Json, Refusal, std::unique_ptr<Call>> read_resource(const std::string& uri,
                                                                 const Shared& shared) {
  const Refusal unknown{Fault::invalid_params, "unknown resource", {{"uri", cleaned_text(uri)}}};
  if (!uri.starts_with(kScheme)) return unknown;
  const Words parts = split(uri.substr(kScheme.size()), '/');
  if (parts.size() == 2 && parts[0] == "schema")
    for (const cli::OutputSchema& schema : cli::output_schemas())
      if (schema.name == parts[1]) return contents(uri, std::string(schema.text));
  Words words = command_of(parts);
  if (words.empty()) return unknown;
  return std::make_unique<ReadByCommand>(uri, std::move(words), shared.most_bytes);
}

}  // namespace kml::mcp
