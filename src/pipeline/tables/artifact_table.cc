#include "pipeline/tables/artifact_table.h"

#include <algorithm>
#include <ostream>

#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "kml/job/tables/job_tables.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

constexpr size_t kShortDigest = 12;

std::string content_text(const Json& made) {
  if (made.contains("value")) return parameter_text(as_written(made));
  return size_text(static_cast<std::uintmax_t>(int_at(made, {"bytes"})));
}

std::string short_digest(const Json& made) {
  return string_at(made, {"digest"}).substr(0, kShortDigest);
}

/// How the artifact was made: "run iris-1, step train, job iris-1-train, ended 2026-01-02T10:00:00Z".
std::string job_line(const Json& made) {
  std::string line = "run " + string_at(made, {"run"}) + ", step " + string_at(made, {"step"});
  for (const auto& [key, word] : {std::pair("job", ", job "), std::pair("ended", ", ended ")})
    if (const std::string text = string_at(made, {key}); !text.empty()) line += word + text;
  return line;
}

std::string command_line(const Json& command) {
  std::vector<std::string> words;
  for (const Json& word : command)
    words.push_back(word.is_string() ? word.get<std::string>() : compact_text(word));
  return shell_quoted(words);
}

/// The commit in words: "commit 1a2b3c4d5e6f of main, with uncommitted changes".
std::string commit_line(const Json& git) {
  const std::string branch = string_at(git, {"branch"});
  return "commit " + string_at(git, {"commit"}).substr(0, kShortDigest) +
         (branch.empty() ? "" : " of " + branch) +
         (bool_at(git, {"dirty"}) ? ", with uncommitted changes" : "");
}

/// Prints lines that say how the artifact was made, indented by `indent`.
void print_making(const Streams& streams, const Json& made, const std::string& indent) {
  streams.out << indent << job_line(made) << "\n";
  if (made.contains("function"))
    streams.out << indent << "function: " << in_a_line(value_text(made["function"])) << "\n";
  else if (made.contains("command"))
    streams.out << indent << "command: " << in_a_line(command_line(made["command"])) << "\n";
  for (const auto& [name, value] : object_at(made, {"params"}).items())
    streams.out << indent << "param " << name << "=" << parameter_text(value) << "\n";
  for (const auto& [path, source] : object_at(made, {"data"}).items())
    streams.out << indent << "data " << path << " = " << in_a_line(value_text(source)) << "\n";
  if (made.contains("git")) streams.out << indent << commit_line(made["git"]) << "\n";
  for (const char* key : {"code", "packages"})
    if (made.contains(key))
      streams.out << indent << key << " " << string_at(made, {key}).substr(0, kShortDigest) << "\n";
  if (made.contains("installs"))
    streams.out << indent << "installs " << in_a_line(string_at(made, {"installs"})) << "\n";
  for (const auto& [name, digest] : object_at(made, {"programs"}).items())
    streams.out << indent << "program " << name << " " << digest.get<std::string>().substr(0, kShortDigest)
                << "\n";
}

void print_node(const Streams& streams, const Json& node, const std::string& title,
                const std::string& indent) {
  std::string line = indent + title + string_at(node, {"name"});
  for (const std::string& word : {string_at(node, {"kind"}), content_text(node), short_digest(node)})
    if (!word.empty()) line += "  " + word;
  streams.out << line << (bool_at(node, {"isAbove"}) ? "  (see above)" : "") << "\n";
  const std::string below = indent + "  ";
  if (node.contains("made")) print_making(streams, node["made"], below);
  for (const auto& [name, input] : object_at(node, {"inputs"}).items())
    print_node(streams, input, name + " = ", below);
  for (const Json& use : array_at(node, {"uses"})) {
    streams.out << below << "read by " << job_line(use) << "\n";
    if (use.contains("git")) streams.out << below << "  " << commit_line(use["git"]) << "\n";
    for (const Json& output : array_at(use, {"outputs"})) print_node(streams, output, "", below + "  ");
  }
}

}  // namespace

void print_artifacts(const Streams& streams, const std::vector<pipeline::Artifact>& artifacts,
                     const std::set<std::string>& pinned, Time now) {
  using pipeline::Artifact;
  const auto files = [](const Artifact& artifact) {
    return pipeline::is_tree(artifact.kind) ? std::to_string(int_at(artifact.made, {"files"})) : "-";
  };
  const auto state = [&](const Artifact& artifact) {
    return !artifact.is_there ? "removed" : pinned.contains(artifact.name.text()) ? "pinned" : "-";
  };
  const std::vector<Column<Artifact>> columns = {
      {"ARTIFACT", [](const Artifact& artifact) { return artifact.name.text(); }},
      {"KIND", [](const Artifact& artifact) { return std::string(name_of(artifact.kind)); }},
      {"SIZE", [](const Artifact& artifact) { return in_a_line(content_text(artifact.made)); }},
      {"FILES", files},
      {"DIGEST", [](const Artifact& artifact) { return or_dash(short_digest(artifact.made)); }},
      {"AGE", [now](const Artifact& artifact) { return age(artifact.time, now); }},
      {"STATE", state}};
  const Table table = table_of(columns, artifacts);
  table.print(streams);
}

Json artifact_to_json(const pipeline::Artifact& artifact, bool is_pinned) {
  Json json = {{"name", artifact.name.text()},   {"run", artifact.name.run},
               {"step", artifact.name.step},     {"output", artifact.name.output},
               {"kind", name_of(artifact.kind)}, {"madeBy", artifact.maker},
               {"time", rfc3339(artifact.time)}, {"pinned", is_pinned},
               {"removed", !artifact.is_there}};
  for (const auto& [key, value] : artifact.made.items()) json[key] = value;
  return json;
}

void print_lineage(const Streams& streams, const Json& lineage) {
  print_node(streams, lineage, "", "");
}

}  // namespace kml::ui
