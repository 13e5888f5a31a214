#include <utility>

#include "kml/base/beneath.h"
#include "kml/base/text.h"
#include "kml/pod/copy/copy.h"
#include "pod/copy/common.h"
#include "pod/copy/local_tree.h"
#include "pod/copy/pod_shell.h"
#include "pod/copy/pod_tree.h"
#include "pod/copy/stage.h"

namespace kml::pod {

namespace fs = std::filesystem;

namespace {

/// Prints which of the arguments are folders: the path, its parent, and the stages that an earlier attempt
/// may have left in these two.
constexpr std::string_view kIsFolder = R"sh(
for p; do if [ -d "$p" ]; then echo folder; else echo; fi; done
echo end)sh";

/// Where a copy goes in a pod.
struct PodTarget {
  std::string folder, name;
  bool has_stage = true;  ///< whether an earlier attempt has left a stage
  PodTools tools;
};

/// The parent folder: "/data" for "/data/x", "." for "x".
std::string parent_path(const std::string& path) {
  const size_t end = path.rfind('/');
  return end == std::string::npos ? "." : end == 0 ? "/" : path.substr(0, end);
}

PodTarget target_in_pod(PodShell& shell, std::string path, const std::string& base) {
  const bool is_to_be_folder = path.empty() || path.ends_with('/');
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) path = ".";
  const std::string shown = shell.name() + ":", parent = parent_path(path);
  const auto [tools, output] = tools_and_output(
      shell,
      {.script = kIsFolder,
       .arguments = {plain_path(path), plain_path(parent), plain_path(path + "/" + part_name(base)),
                     plain_path(parent + "/" + part_name(base_name(path)))}},
      "cannot look at " + shown + path, kShortAnswer);
  const std::vector<std::string> kinds = split(output, '\n');
  const bool is_folder = kinds.at(0) == "folder", has_parent = kinds.at(1) == "folder";
  const std::string missing = is_to_be_folder ? path : parent;
  if (!is_folder && (is_to_be_folder || !has_parent))
    throw Error(ErrorCode::failure, "no folder " + shown + missing, "",
                shown.starts_with("pvc/") ? "create the folder first"
                                          : "create it first; in a running pod: kml exec " + shell.name() +
                                                " -- mkdir -p " + missing);
  if (is_folder && !base.empty()) return {path, base, kinds.at(2) == "folder", tools};
  PodTarget target{parent, base_name(path), kinds.at(3) == "folder", tools};
  if (target.name.empty())
    throw usage_error("cannot copy to " + shown + path, "the copy needs a name", "name the folder to copy");
  return target;
}

class Push {
 public:
  Push(kube::Client& client, const fs::path& source, const PodPath& target, const CopyReport& report,
       const job::Interrupt& interrupt)
      : shell_(client, target.rank, target.shown, interrupt),
        source_(source),
        target_(target),
        report_(report),
        patience_(shell_, report.note) {}

  CopyResult run() {
    std::vector<CopyEntry> entries = list_local_tree(source_);
    result_.skipped = take_out_uncopyable(entries);
    if (entries.empty())
      throw Error(ErrorCode::failure, "cannot copy " + source_.string(),
                  "it is a pipe, a socket or a device");
    for (const CopyEntry& entry : entries)
      if (entry.kind == CopyEntry::Kind::file) {
        ++result_.files;
        result_.bytes += entry.size;
      }
    const PodTarget target = find_target();
    tools_ = target.tools;
    if (!tools_.has_tar && result_.files > 1)
      report_.note("the image of " + shell_.name() + " has no tar, so the copy takes longer");
    result_.sum_tool = name_of(tools_.sum);
    result_.target = shell_.name() + ":" + (target.folder == "/" ? "" : target.folder) + "/" + target.name;
    Stage stage(shell_, tools_, source_, entries, target.folder, target.name);
    bool has_stage = target.has_stage;
    for (int rounds = 0;; ++rounds) try {
        stage.look(std::exchange(has_stage, true));
        if (stage.is_complete()) break;
        // If a file were different, look() would have thrown; here, files are still missing.
        if (rounds > kMostMismatches) throw never_the_same(source_.string(), tools_.sum);
        send(stage);
        if (stage.is_moved() || stage.is_complete()) break;
      } catch (const Error& error) {
        patience_.after(error, stage.arrived());
        rounds = 0;
      }
    again_if_cut([&] { stage.move(); });
    return std::move(result_);
  }

 private:
  template <typename Call>
  void again_if_cut(Call call) {
    while (true) try {
        return call();
      } catch (const Error& error) {
        patience_.after(error, 0);
      }
  }

  PodTarget find_target() {
    PodTarget target;
    again_if_cut([&] { target = target_in_pod(shell_, target_.path, base_name(source_.string())); });
    return target;
  }

  void send(Stage& stage) {
    std::uintmax_t sent = stage.arrived();
    stage.send([&](std::uintmax_t more) { report_.progress(sent += more, result_.bytes); });
  }

  PodShell shell_;
  const fs::path& source_;
  const PodPath& target_;
  const CopyReport& report_;
  Patience patience_;
  PodTools tools_;
  CopyResult result_;
};

}  // namespace

CopyResult copy_to_pod(kube::Client& client, const fs::path& source, const PodPath& target,
                       const CopyReport& report, const job::Interrupt& interrupt) {
  return Push(client, source, target, report, interrupt).run();
}

}  // namespace kml::pod
