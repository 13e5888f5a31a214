#include "kml/pipeline/engine/pins.h"

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "pipeline/store/store_write.h"

namespace kml::pipeline {

namespace {

std::filesystem::path pin_file(const LocalStore& store, const std::string& name) {
  return store.folder() / "pins" / (path_component(name) + ".json");
}

/// Pins of earlier versions have only the members that are needed to read the files.
Artifact artifact_in(const Json& record) {
  Artifact artifact;
  artifact.name = parse_artifact_name(string_at(record, {"name"}));
  artifact.kind = output_kind_of(string_at(record, {"kind"})).value_or(OutputKind::artifact);
  artifact.made = record.value("made", record);
  artifact.maker = string_at(record, {"maker"}, artifact.name.run);
  artifact.time = parse_rfc3339(string_at(record, {"time"})).value_or(Time());
  artifact.is_there = is_there(artifact.kind, artifact.made);
  return artifact;
}

}  // namespace

void pin(const LocalStore& store, const Artifact& artifact) {
  require_readable(artifact);
  const std::string name = artifact.name.text();
  Json record = {{"name", name},
                 {"kind", name_of(artifact.kind)},
                 {"made", artifact.made},
                 {"maker", artifact.maker},
                 {"time", rfc3339(artifact.time)}};
  for (const char* key : {"path", "digest", "store"}) record[key] = string_at(artifact.made, {key});
  write_in(store.folder(), [&] {
    make_private_folder(store.folder() / "pins");
    write_file_atomically(pin_file(store, name), compact_text(record));
  });
}

std::optional<Json> unpin(const LocalStore& store, const ArtifactName& name) {
  const std::filesystem::path file = pin_file(store, name.text());
  const auto text = read_file_if_exists(file);
  if (!text || !std::filesystem::remove(file)) return {};
  return parse_json(*text, file.string());
}

Pins pins_of(const LocalStore& store) {
  Pins pins;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(store.folder() / "pins", none)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_file_if_exists(entry.path());
    if (!text) continue;  // unpinned meanwhile
    const Json record = parse_json(*text, entry.path().string());
    pins.artifacts.push_back(artifact_in(record));
    pins.names.insert(string_at(record, {"name"}));
    pins.paths.insert(string_at(record, {"path"}));
  }
  return pins;
}

}  // namespace kml::pipeline
