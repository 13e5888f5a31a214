#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/context.h"
#include "live/model/model.h"

namespace kml::cli {

/// The flags of `kml ui --web`.
struct WebOptions {
  bool is_wanted = false;  ///< --web
  bool may_act = false;    ///< --actions
  bool only_prints = false;
  std::optional<long long> port;
  std::string once;  ///< the file for a page that does not change; "-" for standard output
};

void add_web_flags(Command& command, WebOptions& options);
/// Serves the page until Ctrl-C or, with --once, writes it. `target` are the options of the commands that the
/// server starts; `view` is the view that the page shows first, or empty.
int run_web(Context& context, const GlobalOptions& target, const WebOptions& options, live::Model& model,
            const std::string& view);
/// Throws usage Error if flags of --web are given without it.
void check_web_flags(const WebOptions& options);

}  // namespace kml::cli
