#include "step/bucket.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "kml/base/gzip_bytes.h"
#include "kml/base/tar.h"
#include "step/command.h"
#include "step/inputs.h"
#include "step/say.h"
#include "step/tree.h"

namespace kml::step {

namespace {

/// The path of a file in memory. The file exists until this process ends.
std::string in_memory(const char* name, std::string_view content) {
  const int fd = ::memfd_create(name, 0);
  if (fd < 0 || !write_all(fd, content)) give_up_by_errno(std::string("cannot keep ") + name + " in memory");
  return "/proc/self/fd/" + std::to_string(fd);
}

/// The path of kml-step-s3. It arrives compressed and in parts, because it is too large for a single
/// ConfigMap.
const std::string& program(const Options& options) {
  static const std::string* path = nullptr;
  if (path) return *path;
  constexpr size_t kMost = size_t{16} << 20;
  std::string archive;
  const char* fault = gunzip_bytes(packed_bytes(options.bucket_program), kMost, archive);
  TarReader reader(archive);
  TarEntry entry;
  if (!fault && !reader.next(entry)) fault = "it is damaged";
  if (fault) give_up(std::string("cannot unpack kml-step-s3: ") + fault);
  return *(path = new std::string(in_memory("kml-step-s3", entry.content)));
}

void run(const Options& options, std::vector<std::string> words) {
  words.insert(words.begin(), program(options));
  words.insert(words.end(), options.variables.begin(), options.variables.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, nullptr, &before);
  const int status = run_command(arguments.data());
  ::sigprocmask(SIG_SETMASK, &before, nullptr);  // restored for the step's own command
  if (status != 0) end_as(status);
}

}  // namespace

void fetch(const Options& options, const InputPlace& input) {
  remove_tree(input.path);
  make_folders(folder_of(input.path));
  run(options, {"get", options.bucket, "input " + input.name, input.path, input.digest});
}

void fetch_data(const Options& options, const DataPlace& data) {
  run(options, {"fetch", data.source, "data", data.folder, ""});
}

void tidy(const Options& options, const TidyPlace& place) {
  run(options, {place.verb, place.kept, "data", place.folder, place.seconds});
}

void send(const Options& options, const OutputPlace& output, const std::string& manifest) {
  run(options,
      {"put", options.bucket, "output " + output.name, output.path, in_memory("manifest", manifest)});
}

}  // namespace kml::step
