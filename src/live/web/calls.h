#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kml/local/page_server.h"

namespace kml::live {

class RunningCommand;
struct Outcome;

/// Answers requests by running kml's own commands, each in a separate process. So a process can be ended when
/// its client hangs up, and a fault in a command ends only its own request.
class Calls {
 public:
  /// `server` must outlive this object.
  explicit Calls(local::PageServer& server) : server_(server) {}

  /// Runs the command, and responds with the body that `body_of` makes from the outcome. If the client hangs
  /// up, a command that changes something (`ends_alone`) continues. The status is 503 if too many processes
  /// are running.
  local::HttpResponse ask(const std::vector<std::string>& argv,
                          std::function<std::string(const Outcome&)> body_of, bool ends_alone = false);
  /// Server-sent events with the lines that the command prints: `lines` with a list of texts, without control
  /// characters and colors, after them `metrics` with the metrics in these lines, as [[NAME, VALUE], …], and
  /// finally `end` with {"exitCode", "errors"}.
  local::HttpResponse follow(const std::vector<std::string>& argv);

 private:
  class AnswerBody;
  class LinesBody;
  std::shared_ptr<RunningCommand> start(const std::vector<std::string>& argv);

  local::PageServer& server_;
  std::shared_ptr<int> running_ = std::make_shared<int>(0);  ///< how many processes run now
};

}  // namespace kml::live
