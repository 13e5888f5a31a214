#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>

#include "job/kinds/builtin_kinds.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargestDescription = size_t{64} << 10;

bool is_same_kind(const JobKind& a, const JobKind& b) {
  return a.group == b.group && a.kind == b.kind;
}

/// Made only once, so pointers to the kinds stay valid.
struct DescribedKinds {
  std::deque<JobKind> kinds;
  std::deque<api::ResourceKind> resources;
  std::vector<const JobKind*> all;
  std::vector<const api::ResourceKind*> all_resources;
  std::vector<Error> faults;

  DescribedKinds() {
    for (const BuiltinKind& builtin : builtin_kinds())
      kinds.push_back(parse_kind(builtin.text, std::string(builtin.name) + ".yaml"));
    for (const fs::path& file : kind_files()) read(file);
    for (const JobKind& kind : kinds) {
      all.push_back(&kind);
      all_resources.push_back(&resources.emplace_back(kind.resource()));
    }
  }

  void read(const fs::path& file) try {
    const std::string text = read_file(file, kLargestDescription);
    if (trim(text).empty()) return;  // empty until `kml kind show KIND >FILE` has filled it
    JobKind kind = parse_kind(text, file.string());
    kind.file = file.string();
    require_describable(kind);
    for (const JobKind& other : kinds) require_distinct(kind, other);
    const auto same = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const JobKind& other) { return is_same_kind(kind, other); });
    if (same == kinds.end())
      kinds.push_back(std::move(kind));
    else
      *same = std::move(kind);
  } catch (const Error& error) {
    faults.push_back(error);
  }
};

std::atomic<bool> were_read = false;

const DescribedKinds& descriptions() {
  static const DescribedKinds read_once;
  were_read = true;
  return read_once;
}

}  // namespace

void require_describable(const JobKind& kind) {
  for (const api::ResourceKind& known : api::known_kinds()) {
    if (known.group == kind.group && known.kind == kind.kind)
      throw usage_error("the kind " + kind.file + " cannot be described",
                        "kml already knows " + kind.kind + " of " + kind.api_version(), "remove the file");
    if (kind.word == known.singular || kind.word == known.plural || kind.word == known.short_name)
      throw usage_error("the kind " + kind.file + " cannot have the word " + kind.word,
                        "it means " + std::string(known.kind) + " of " + known.api_version(),
                        "choose another word");
  }
}

void require_distinct(const JobKind& kind, const JobKind& other) {
  if (is_same_kind(kind, other)) {
    if (!other.file.empty() && other.file != kind.file)
      throw usage_error("the kind " + kind.file + " cannot be described",
                        other.file + " already describes " + kind.kind + " of " + kind.api_version(),
                        "remove one of the two files");
  } else if (kind.word == other.word) {
    throw usage_error("the kind " + kind.file + " cannot have the word " + kind.word,
                      "it means " + other.name + " of " + other.api_version(), "choose another word");
  }
}

std::vector<fs::path> kind_files() {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(config_folder() / "kinds", missing))
    if ((entry.path().extension() == ".yaml" || entry.path().extension() == ".yml") &&
        entry.is_regular_file(missing))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

api::ResourceKind JobKind::resource() const {
  return {group, version, kind, plural, word, {}, true, pod_label};
}

std::span<const JobKind* const> described_kinds() {
  return descriptions().all;
}

std::span<const Error> faulty_kinds() {
  return were_read ? descriptions().faults : std::span<const Error>();
}

std::span<const api::ResourceKind* const> described_resources() {
  return descriptions().all_resources;
}

const JobKind* described_kind_of(const Json& object) {
  const api::ResourceKind* kind = api::kind_of(object);
  if (!kind || api::is_known(*kind)) return nullptr;
  const auto resources = described_resources();
  const auto place = std::find(resources.begin(), resources.end(), kind);
  return place == resources.end() ? nullptr
                                  : described_kinds()[static_cast<size_t>(place - resources.begin())];
}

bool runs_until_deleted(const JobKind& kind) {
  return !kind.states.empty() &&
         std::none_of(kind.states.begin(), kind.states.end(),
                      [](const JobKind::Rule& rule) { return has_ended(rule.state); });
}

bool shows_pods(const JobKind& kind, const Json& job) {
  bool all = !kind.templates.empty();
  for (const JobKind::Templates& templates : kind.templates)
    templates.path.each(job, [&](const Json& pod, const Json&) {
      all = all && !(templates.is_spec && array_at(pod, {"containers"}).empty());
    });
  return all;
}

}  // namespace kml::job
