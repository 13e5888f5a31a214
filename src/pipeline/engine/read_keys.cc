#include "pipeline/engine/read_keys.h"

#include <filesystem>
#include <utility>

#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "pipeline/engine/list_names.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* kField = "reads";
constexpr std::string_view kFilePart = "file ";

}  // namespace

std::optional<ReadKeys::Last> ReadKeys::last(const Step& step) const {
  const std::optional<std::string> key = store_.find_latest(pipeline_.name, step.name);
  const std::optional<Json> result = key ? store_.find_result(*key) : std::nullopt;
  return result ? reads_in(*result) : std::nullopt;
}

std::optional<ReadKeys::Last> ReadKeys::reads_in(const Json& result) const {
  const std::string digest = string_at(result, {kField, "record"});
  const auto record = digest.empty() ? std::nullopt : store_.find_list(digest);
  std::optional<Reads> reads = record ? parse_reads(*record) : std::nullopt;
  if (!reads) return {};
  return Last{std::move(*reads), object_at(result, {kField}).value("parts", KeyParts())};
}

bool ReadKeys::holds(const Json& result, const KeyParts& whole) const {
  if (!result.contains(kField)) return true;
  const std::optional<Last> made = reads_in(result);
  const std::optional<KeyParts> parts = made ? now(whole, made->reads) : std::nullopt;
  return parts && parts->at(kReadPart) == made->parts.at(kReadPart);
}

std::optional<KeyParts> ReadKeys::now(const KeyParts& whole, const Reads& reads) const {
  auto files = files_in(whole);
  if (!files) return {};
  return parts_with(whole, reads, folder_here(std::move(*files), pipeline_.folder));
}

ReadKeys::Recorded ReadKeys::recorded(const KeyParts& whole, const std::string& record) const {
  const std::optional<Reads> reads = parse_reads(record);
  if (!reads) return {.unsure = "the record is incomplete"};
  if (!reads->unsure.empty()) return {.unsure = reads->unsure};
  auto files = files_in(whole);
  if (!files) return {.unsure = "the list of its code files is gone"};
  CodeFolder seen = folder_seen(std::move(*files), *reads);
  seen.state = inside(fs::absolute(state_folder()));
  Recorded recorded{.changed = changed_before_read(*reads, seen)};
  recorded.changed = shown_name(recorded.changed);
  if (!recorded.changed.empty()) return recorded;
  recorded.parts = parts_with(whole, *reads, std::move(seen));
  recorded.field = {{"record", store_.keep_list(record)}, {"parts", *recorded.parts}};
  return recorded;
}

std::vector<std::string> ReadKeys::changed_reads(KeyParts before, KeyParts now,
                                                 const std::string& record) const {
  const auto old_files = files_in(before), new_files = files_in(now);
  const std::optional<Reads> reads = parse_reads(record);
  std::vector<std::string> texts;
  if (!old_files || !new_files || !reads) return texts;
  const std::set<std::string> made = made_by_steps(*reads);
  for (const auto& [name, line] : *old_files)
    if (const auto file = new_files->find(name); reads->looked_up.contains(name) && !made.contains(name) &&
                                                 (file == new_files->end() || file->second != line))
      texts.push_back(shown_name(name) + " changed");
  for (KeyParts* parts : {&before, &now}) {
    parts->erase("code");
    std::erase_if(*parts, [&](const auto& part) {
      return part.first.starts_with(kFilePart) && !inside(part.first.substr(kFilePart.size())).empty();
    });
  }
  for (std::string& text :
       changes(before, now, [&](const std::string& digest) { return store_.find_list(digest); }))
    texts.push_back(std::move(text));
  return texts;
}

/// The code files, the pipeline file, and those files in the code folder that the command names.
std::optional<std::map<std::string, std::string>> ReadKeys::files_in(const KeyParts& whole) const {
  const auto code = whole.find("code");
  const auto list = code == whole.end() ? std::nullopt : store_.find_list(code->second);
  if (!list) return {};
  std::map<std::string, std::string> files = lines_by_name(*list);
  for (const auto& [part, digest] : whole)
    if (part.starts_with(kFilePart))
      if (std::string name = inside(part.substr(kFilePart.size())); !name.empty())
        files.try_emplace(std::move(name), " named " + digest);
  files[fs::path(pipeline_.file).filename()] = " 644 " + sha256_hex(pipeline_.text);
  return files;
}

KeyParts ReadKeys::parts_with(const KeyParts& whole, const Reads& reads, CodeFolder folder) const {
  folder.made_by_steps = made_by_steps(reads);
  folder.state = inside(fs::absolute(state_folder()));
  KeyParts parts = whole;
  parts.erase("code");
  std::erase_if(parts, [&](const auto& part) {
    return part.first.starts_with(kFilePart) && !inside(part.first.substr(kFilePart.size())).empty();
  });
  parts[kReadPart] = store_.keep_list(read_list(reads, folder));
  return parts;
}

/// The path relative to the code folder; empty if it is outside.
std::string ReadKeys::inside(const std::string& path) const {
  std::string name = (pipeline_.folder / path).lexically_normal().lexically_relative(pipeline_.folder);
  return name == "." || name == ".." || name.starts_with("../") ? std::string() : name;
}

std::set<std::string> ReadKeys::made_by_steps(const Reads& reads) const {
  std::set<std::string> made = reads.made;
  for (const Step& step : pipeline_.steps)
    if (std::optional<Last> other = last(step)) made.merge(other->reads.made);
  return made;
}

}  // namespace kml::pipeline
