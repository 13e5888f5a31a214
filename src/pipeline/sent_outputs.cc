#include "kml/pipeline/sent_outputs.h"

#include <sys/stat.h>

#include <map>

#include "kml/core/archive.h"
#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/pipeline/unpack.h"
#include "pipeline/tree_entries.h"
#include "pipeline/tree_modes.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostUnpacked = size_t{256} << 20;

/// The lines of the entry "report", by output.
std::map<std::string, std::vector<std::string>> report_lines(std::string_view text) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const std::string& line : split(std::string(text), '\n'))
    if (std::vector<std::string> words = split(line, ' '); words.size() > 1) lines[words[1]] = words;
  return lines;
}

class SentReport {
 public:
  explicit SentReport(const std::string& packed) : archive_(gunzipped(packed, kMostUnpacked)) {
    TarReader reader(archive_);
    for (TarEntry entry; reader.next(entry);) entries_.push_back(entry);
    if (reader.is_damaged() || entries_.empty() || entries_[0].name != "report")
      throw Error(ErrorCode::failure, "what the step made is damaged", "kml-step sent no archive");
    lines_ = report_lines(entries_[0].content);
  }

  Json made(const Output& output, const fs::path& path, const LocalStore& store) const {
    const std::vector<std::string>& words = words_of(output);
    if (!is_tree(output.kind)) return made_value(output);
    const Tree tree = kept(output, words, path, store);
    return {{"kind", name_of(output.kind)},
            {"path", path},
            {"digest", tree.digest},
            {"bytes", tree.bytes},
            {"files", tree.files}};
  }

  Json told(const Output& output, const Json& place) const {
    const std::vector<std::string>& words = words_of(output);
    if (!is_tree(output.kind)) return made_value(output);
    Json made = {{"kind", name_of(output.kind)}, {"digest", words.size() > 4 ? words[2] : ""}};
    for (const auto& [name, at] : {std::pair("bytes", 3), {"files", 4}})
      made[name] = words.size() > 4 ? Json::parse(words[at], nullptr, false) : Json();
    if (made["digest"].get_ref<const std::string&>().size() != 64 || !made["bytes"].is_number_unsigned() ||
        !made["files"].is_number_unsigned())
      throw Error(ErrorCode::failure, "output " + output.name + " was not sent", "its line is damaged");
    made.update(place);
    return made;
  }

 private:
  const std::vector<std::string>& words_of(const Output& output) const {
    const auto line = lines_.find(output.name);
    if (line == lines_.end() || line->second[0] != (is_tree(output.kind) ? "tree" : "value"))
      throw Error(ErrorCode::failure, "output " + output.name + " was not sent",
                  "kml-step did not report it");
    return line->second;
  }

  Json made_value(const Output& output) const {
    for (const TarEntry& entry : entries_)
      if (entry.name == "value/" + output.name) return {{"value", value_of_text(std::string(entry.content))}};
    throw Error(ErrorCode::failure, "output " + output.name + " was not sent", "its value is missing");
  }

  Tree kept(const Output& output, const std::vector<std::string>& words, const fs::path& path,
            const LocalStore& store) const {
    store.prepare(path);
    try {
      unpack(entries_, "tree/" + output.name, path);
      Tree tree = store.keep(path);
      if (words.size() > 2 && tree.digest == words[2]) return tree;
      throw Error(ErrorCode::failure, "output " + output.name + " is not what the step made",
                  "its files have another digest here");
    } catch (const Error&) {
      remove_tree(path);
      throw;
    }
  }

  const std::string archive_;
  std::vector<TarEntry> entries_;
  std::map<std::string, std::vector<std::string>> lines_;
};

}  // namespace

std::string packed_tree(const fs::path& path) {
  Archive archive;
  for (const TreeEntry& entry : entries_of(path)) {
    if (S_ISLNK(entry.at.st_mode))
      archive.add_link(entry.path, entry.target);
    else if (S_ISREG(entry.at.st_mode))
      archive.add_file(entry.path, read_file(place_of(path, entry.path)), (entry.at.st_mode & S_IXUSR) != 0);
    else if (entry.is_empty)
      archive.add_folder(entry.path);
  }
  return archive.finish();
}

Json keep_sent(const std::string& packed, const std::string& run, const StepJob& job,
               const LocalStore& store) {
  const SentReport report(packed);
  Json made = Json::object();
  for (const Output& output : job.step->outputs)
    if (output.kind != OutputKind::metric)
      made[output.name] =
          report.made(output, store.output_path(run, job.step->name, job.attempt, output.name), store);
  return made;
}

Json read_sent(const std::string& packed, const StepJob& job,
               const std::function<Json(const Output& output)>& place_of) {
  const SentReport report(packed);
  Json made = Json::object();
  for (const Output& output : job.step->outputs)
    if (output.kind != OutputKind::metric)
      made[output.name] = report.told(output, is_tree(output.kind) ? place_of(output) : Json());
  return made;
}

Json value_of_text(const std::string& text) {
  const Json parsed = Json::parse(trim(text), nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(trim(text));
}

}  // namespace kml::pipeline
