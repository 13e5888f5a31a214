#include "job/spool/spool_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json_fields.h"

namespace kml::job {

namespace {

/// How many bytes of a log are kept in memory at most; the same as for a followed log.
constexpr size_t kMostHeld = size_t{256} << 10;

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || status.st_size == 0) return;
  const size_t size = static_cast<size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) throw system_error("cannot read " + path.string(), errno);
  ::madvise(data, size, MADV_SEQUENTIAL);
  data_ = static_cast<const char*>(data);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::have_read(size_t bytes) {
  read_ += bytes + 1;  // counts the newline, too
  if (read_ < kMostHeld) return;
  ::madvise(const_cast<char*>(data_), size_, MADV_DONTNEED);
  read_ = 0;
}

size_t MappedFile::line_begin(size_t place) {
  while (place > 0) {
    const size_t part = std::min(place, kMostHeld);
    const std::string_view before = bytes().substr(place - part, part);
    const size_t newline = before.rfind('\n');
    have_read(newline == std::string_view::npos ? part : part - newline);
    if (newline != std::string_view::npos) return place - part + newline + 1;
    place -= part;
  }
  return 0;
}

namespace {

constexpr size_t kUidDigits = 8;
/// Leaves room for ".json" and for the suffix of a temporary file.
constexpr size_t kLongestStem = 255 - 32;

std::string with_uid(const std::string& name, const std::string& uid) {
  return path_component(name + "." + uid.substr(0, kUidDigits));
}

constexpr std::tuple kSourceFields = {JsonField{"namespace", &LogSource::namespace_name},
                                      JsonField{"job", &LogSource::job},
                                      JsonField{"jobUid", &LogSource::job_uid},
                                      JsonField{"pod", &LogSource::pod},
                                      JsonField{"podUid", &LogSource::pod_uid},
                                      JsonField{"container", &LogSource::container},
                                      JsonField{"node", &LogSource::node},
                                      JsonField{"label", &LogSource::label},
                                      JsonField{"main", &LogSource::is_main},
                                      JsonField{"attempt", &LogSource::attempt},
                                      JsonField{"restart", &LogSource::restart},
                                      JsonField{"rank", &LogSource::rank}};

}  // namespace

std::filesystem::path spool_path(const LogSource& source) {
  std::filesystem::path path = path_component(source.namespace_name);
  if (!source.job.empty()) path /= with_uid(source.job, source.job_uid);
  return path / with_uid(source.pod, source.pod_uid) /
         path_component(source.container + "." + std::to_string(source.restart), kLongestStem);
}

Json to_json(const SpooledRun& run) {
  Json json = fields_to_json(run.source, kSourceFields);
  json["complete"] = run.complete;
  return json;
}

std::optional<SpooledRun> spooled_run(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  SpooledRun run;
  read_fields(json, run.source, kSourceFields);
  run.complete = json.value("complete", Json()) == true;
  return run;
}

}  // namespace kml::job
