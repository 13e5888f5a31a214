#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "kml/base/files.h"
#include "kml/job/logs/logs.h"

namespace kml::job {

/// A complete copy of logs in a folder, with one file per container run:
///
///   NAMESPACE/JOB.UID/POD.UID/CONTAINER.RESTART.log    lines "TIME TEXT", as in `kubectl logs --timestamps`
///   NAMESPACE/JOB.UID/POD.UID/CONTAINER.RESTART.json   the log's source, and whether it is complete
///
/// UID is the first eight digits of the uid. A pod without a job is directly in NAMESPACE. "- TEXT" is a line
/// without a timestamp from the node. If the copying process is killed, copying can resume at any point; a
/// last line without a newline is then ignored. A job's copy has one writer. Other processes pass everything
/// on as if no copy existed, and report this in an event.
class LogSpool : public LogSink {
 public:
  /// Passes everything on to `next`, which must outlive it. Throws Error if the folder cannot be written.
  LogSpool(std::filesystem::path folder, LogSink& next);
  ~LogSpool() override;

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override;
  void unfinished(const LogLine& line) override;
  bool pause() override;
  void waits(const JobView& job) override;
  Kept kept(const LogSource& source, const std::function<void(Time, std::string_view text)>& recall) override;

 private:
  class File;
  File& file_of(const LogSource& source);
  bool lock_copy_of(const LogSource& source);

  const std::filesystem::path folder_;
  LogSink& next_;
  std::map<const LogSource*, std::unique_ptr<File>> files_;
  /// locks by folder; a lock is not open if another process has it
  std::map<std::filesystem::path, Fd> locks_;
};

/// The folder of `kml logs --keep`. kml also looks there for the logs of deleted jobs.
std::filesystem::path default_spool();

/// Reads the selected lines of the newest job with that name from a spool, in the order of their times.
/// Ignores the selection's `pod_selector`. Returns false if the spool has no such job.
bool read_spool(const std::filesystem::path& folder, const std::string& namespace_name,
                const std::string& job, const LogSelection& selection, LogSink& sink);

}  // namespace kml::job
