#include "kml/pod/copy/put_once.h"

#include <string_view>

#include "pod/copy/pod_shell.h"

namespace kml::pod {

namespace {

constexpr std::string_view kBegin = R"sh(
if [ -e "$1" ]; then echo there; else
  mkdir -p "$1.part" || exit
  rm -rf "$1.part/$2" || exit
fi
echo end)sh";
/// Another process may already have copied the same files.
constexpr std::string_view kFinish = R"sh(
if [ -e "$1" ]; then rm -rf "$1.part"; else mv "$1.part" "$1"; fi || exit
echo end)sh";

}  // namespace

void put_once(kube::Client& client, const std::filesystem::path& source, const PodPath& target,
              const std::string& name, const CopyReport& report, const job::Interrupt& interrupt) {
  PodShell shell(client, target.rank, target.shown, interrupt);
  const std::string tried = "cannot write " + target.shown + ":" + target.path;
  const auto run = [&](std::string_view script) {
    Patience patience(shell, report.note);
    while (true) try {
        return shell.output_of({.script = script, .arguments = {target.path, name}}, tried);
      } catch (const Error& error) {
        patience.after(error, 0);
      }
  };
  if (!run(kBegin).empty()) return;
  copy_to_pod(client, source, {target.rank, target.shown, target.path + ".part/" + name}, report, interrupt);
  run(kFinish);
}

}  // namespace kml::pod
