#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "kml/core/files.h"
#include "kml/jobs/logs/logs.h"

namespace kml::jobs {

/// A complete copy of logs in a folder, one file a run of a container:
///
///   NAMESPACE/JOB.UID/POD.UID/CONTAINER.RESTART.log    lines "TIME TEXT", as `kubectl logs --timestamps`
///   NAMESPACE/JOB.UID/POD.UID/CONTAINER.RESTART.json   whose log that is, and whether it is complete
///
/// UID stands for the first eight digits; a pod of no job lies in NAMESPACE itself. "- TEXT" is a line for
/// which the node gave no time. What was killed at any moment goes on where it stopped: the log files alone
/// tell what is there, and the last line of one counts once it has its newline. A job's copy has one writer:
/// the others pass everything on as if there were no copy, and say so in an event.
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
  bool is_ours(const LogSource& source);

  const std::filesystem::path folder_;
  LogSink& next_;
  std::map<const LogSource*, std::unique_ptr<File>> files_;
  std::map<std::filesystem::path, Fd> locks_;  ///< by folder; none open where another process has it
};

/// Where `kml logs --save` without a folder writes, and where the logs of deleted jobs are looked for.
std::filesystem::path default_spool();

/// What a spool has of the newest job of that name, merged by time, of what the selection means but
/// `pod_selector`. False if it has none.
bool read_spool(const std::filesystem::path& folder, const std::string& namespace_name,
                const std::string& job, const LogSelection& selection, LogSink& sink);

}  // namespace kml::jobs
