#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/jobs/in_cluster/engine_job.h"
#include "kml/jobs/in_cluster/journal_copy.h"

namespace kml::cli {

/// How `--in-cluster` is to run an engine.
struct InClusterFlags {
  bool in_cluster = false;
  std::string image, volume, account;
};

void add_in_cluster_flags(Command& command, InClusterFlags& flags);

/// Throws usage Error if these flags are not for this command, or the target is this machine. `otherwise`
/// says what does there: "on this machine, --detach runs a sweep in the background".
void require_cluster(Context& context, const InClusterFlags& flags, const std::string& otherwise);

/// `what` is what the journal is of: "sweep". Throws usage Error if something is missing.
jobs::EngineOptions engine_options(const InClusterFlags& flags, const std::string& what);
/// Of a program that keeps nothing.
jobs::EngineOptions engine_options_without_journal(const InClusterFlags& flags);

/// A sweep, or a pipeline's run, whose engine runs in the cluster, read from its ConfigMap.
struct ClusterEngine {
  jobs::EngineMarks marks;
  Json object;

  /// What `key` of the ConfigMap holds. Throws Error if it is not JSON.
  Json data(const std::string& key) const;
  /// What is run: "sweep.json".
  Json document() const { return data(marks.kind + ".json"); }
  jobs::EngineOptions options() const;
};

/// The one of these marks, whose id may be empty, in the target's namespace; never on this machine.
std::optional<ClusterEngine> find_cluster_engine(Context& context, jobs::EngineMarks marks);
/// All of that kind, by the marks of one without a name.
std::vector<ClusterEngine> cluster_engines(Context& context, jobs::EngineMarks marks);

/// Makes the ConfigMap of a new one. Throws Error if it cannot be made, or is too large.
ClusterEngine make_cluster_engine(Context& context, const jobs::EngineMarks& marks, const Json& document,
                                  const jobs::EngineOptions& options);
/// Gives it another document and options, and takes a request to stop back; the ConfigMap as it then is.
Json renew_cluster_engine(Context& context, const ClusterEngine& engine, const Json& document,
                          const jobs::EngineOptions& options);
/// Throws usage Error if no object can hold it; `large` tells what is, and `otherwise` what to do.
void require_small(const Json& document, const std::string& what, const std::string& large,
                   const std::string& otherwise);
/// Changes keys of the ConfigMap's data; null removes one.
Json change_data(Context& context, const ClusterEngine& engine, const Json& data);

/// Its journal so far. Throws Error if its engine has not started.
std::string journal_so_far(Context& context, const ClusterEngine& engine);

/// "engine: job lr1-engine waits: not enough CPU free on 3 nodes".
std::string engine_in_words(Context& context, const ClusterEngine& engine);
/// Where its journal is, and how to remove `folders` of the volume: deleting the sweep or run does not.
std::string journal_in_words(const ClusterEngine& engine, const std::vector<std::string>& folders);

bool engine_runs(Context& context, const ClusterEngine& engine);
/// Throws Error if its engine runs.
void require_idle_engine(Context& context, const ClusterEngine& engine);

/// Makes the engine's job, and says so; the job of an engine that has ended is removed before.
void start_engine(Context& context, const ClusterEngine& engine, const jobs::EngineOptions& options,
                  const jobs::EngineProgram& program);

/// In the engine's pod: the copy of the journal that others read, which may lag a little, and may fail for a
/// while.
class LaggingCopy {
 public:
  LaggingCopy(Context& context, const ClusterEngine& engine, std::filesystem::path journal)
      : context_(context), copy_(context.client(), engine.marks, engine.object, std::move(journal)) {}

  void update();
  /// All of it. Throws Error if the server does not take it.
  void end() { copy_.update(); }

 private:
  Context& context_;
  jobs::JournalCopy copy_;
  std::chrono::steady_clock::time_point last_{};
  bool has_failed_ = false;
};

}  // namespace kml::cli
