#include "live/model/own_command.h"

#include "kml/base/text.h"

namespace kml::live {

namespace {

cli::GlobalOptions options_for(const cli::GlobalOptions& options, const Row& row) {
  return options_in(options, *row.cluster, row.namespace_name);
}

}  // namespace

cli::GlobalOptions options_in(const cli::GlobalOptions& options, const Cluster& cluster,
                              const std::string& namespace_name) {
  cli::GlobalOptions own = options;
  // Without --context, there is only one cluster: the one that kml chooses by default, which may have no
  // context.
  if (!options.context.empty()) own.context = cluster.name;
  const bool is_default = options.namespace_name.empty() && namespace_name == cluster.namespace_name;
  if (!namespace_name.empty() && !is_default) own.namespace_name = namespace_name;
  return own;
}

std::vector<std::string> command_for(const cli::GlobalOptions& options, const Row& row,
                                     const std::vector<std::string>& words) {
  return cli::same_kml(options_for(options, row), words);
}

std::string typed_command(const cli::GlobalOptions& options, const Row& row,
                          const std::vector<std::string>& words) {
  return typed_with(options_for(options, row), words);
}

std::string typed_with(const cli::GlobalOptions& own, const std::vector<std::string>& words) {
  std::vector<std::string> command = {"kml"};
  if (!own.kubeconfig.empty()) command.insert(command.end(), {"--kubeconfig", own.kubeconfig});
  if (!own.context.empty()) command.insert(command.end(), {"--context", own.context});
  if (!own.namespace_name.empty()) command.insert(command.end(), {"-n", own.namespace_name});
  command.insert(command.end(), words.begin(), words.end());
  return shell_quoted(command);
}

}  // namespace kml::live
