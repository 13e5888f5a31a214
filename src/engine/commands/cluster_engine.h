#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "engine/in_cluster/journal_copy.h"
#include "kml/base/error.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::cli {

/// The flags for running an engine in the cluster.
struct InClusterFlags {
  bool in_cluster = false;
  std::string image, volume, account;
};

/// The sentences about these flags in a command's man page; empty: their phrases.
struct InClusterDetails {
  std::string in_cluster = {}, image = {}, volume = {}, account = {};
};

void add_in_cluster_flags(Command& command, InClusterFlags& flags, const InClusterDetails& details);

/// Throws usage Error if these flags do not fit the command, or if the target is this machine. `otherwise` is
/// the advice for this machine: "on this machine, --detach runs a sweep in the background".
void require_cluster(Context& context, const InClusterFlags& flags, const std::string& otherwise);

/// How to get the image that --engine-image names.
inline constexpr const char* kEngineImageFix =
    "push the image of a release, or one that examples/engine-image builds, to a registry that the cluster "
    "can reach";

/// `what` is the kind of journal, such as "sweep". Throws usage Error if a flag is missing.
engine::EngineOptions engine_options(const InClusterFlags& flags, const std::string& what);
/// The options of a program that has no journal.
engine::EngineOptions engine_options_without_journal(const InClusterFlags& flags);

/// A sweep or a pipeline run whose engine runs in the cluster, read from its ConfigMap.
struct ClusterEngine {
  engine::EngineMarks marks;
  Json object;

  /// The value of `key` in the ConfigMap. Throws Error if it is not JSON.
  Json data(const std::string& key) const;
  /// The document that the engine runs: "sweep.json".
  Json document() const { return data(marks.kind + ".json"); }
  engine::EngineOptions options() const;
};

/// Finds the engine with these marks in the target's namespace; the marks' id may be empty. Returns nothing
/// if the target is this machine.
std::optional<ClusterEngine> find_cluster_engine(Context& context, engine::EngineMarks marks);
/// All engines of the kind in `marks`, whatever its id. Returns none if the target is this machine.
std::vector<ClusterEngine> cluster_engines(Context& context, engine::EngineMarks marks);

/// Creates the ConfigMap of a new engine. Throws Error if that fails, or if the document is too large.
ClusterEngine make_cluster_engine(Context& context, const engine::EngineMarks& marks, const Json& document,
                                  const engine::EngineOptions& options);
/// Replaces the document and the options, and withdraws a stop request. Returns the new ConfigMap.
Json renew_cluster_engine(Context& context, const ClusterEngine& engine, const Json& document,
                          const engine::EngineOptions& options);
/// Throws usage Error if the document is too large for an object. `large` says what is large in it, and
/// `otherwise` is the advice.
void require_small(const Json& document, const std::string& what, const std::string& large,
                   const std::string& otherwise);
/// Changes keys in the ConfigMap's data; null removes a key.
Json change_data(Context& context, const ClusterEngine& engine, const Json& data);

/// The journal so far. Throws Error if the engine has not started.
std::string journal_so_far(Context& context, const ClusterEngine& engine);

/// "engine: job lr1-engine waits: not enough CPU free on 3 nodes".
std::string engine_in_words(Context& context, const ClusterEngine& engine);
/// Says where the journal is and how to delete `folders` from its volume; deleting the sweep or run does not
/// do that.
std::string journal_in_words(const ClusterEngine& engine, const std::vector<std::string>& folders);

bool engine_runs(Context& context, const ClusterEngine& engine);
/// Throws Error if the engine is running.
void require_idle_engine(Context& context, const ClusterEngine& engine);

/// Creates the objects that the engine's job needs, and returns the job, which it does not create.
Json make_engine_parts(Context& context, const ClusterEngine& engine, const engine::EngineOptions& options,
                       const engine::EngineProgram& program);

/// The name of the job that runs the engine: that of a schedule's run is the run's.
std::string engine_job_name(Context& context, const engine::EngineMarks& marks);

/// Creates the engine's job and prints a message. Deletes the job of an earlier engine first.
void start_engine(Context& context, const ClusterEngine& engine, const engine::EngineOptions& options,
                  const engine::EngineProgram& program);

/// Used in the engine's pod. Updates the copy of the journal that other processes read. The copy may lag
/// behind, and updates may fail for a while.
class LaggingCopy {
 public:
  LaggingCopy(Context& context, const ClusterEngine& engine, std::filesystem::path journal)
      : context_(context), copy_(context.client(), engine.marks, engine.object, std::move(journal)) {}

  void update();
  /// Copies everything. Throws Error if the server rejects the copy.
  void end() { copy_.update(); }

 private:
  Context& context_;
  engine::JournalCopy copy_;
  std::chrono::steady_clock::time_point last_{};
  bool has_failed_ = false;
};

}  // namespace kml::cli
