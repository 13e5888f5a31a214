#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kml/local/page_server.h"

namespace kml::live {

class RunningCommand;
struct Outcome;

/// Answers requests by kml's own commands, each as a process: so a request ends with its client, and a fault
/// in one command ends only this request.
class Calls {
 public:
  /// `server` must outlive this object.
  explicit Calls(local::PageServer& server) : server_(server) {}

  /// A response whose body is made from the outcome, once the process has ended. A process of a command that
  /// changes something (`ends_alone`) continues if the client hangs up. Status 503 if too many run.
  local::HttpResponse ask(const std::vector<std::string>& argv,
                          std::function<std::string(const Outcome&)> body_of, bool ends_alone = false);
  /// Server-sent events with the lines that the command prints: `lines` with a list of texts, without control
  /// characters and colors, and finally `end` with {"exitCode", "errors"}.
  local::HttpResponse follow(const std::vector<std::string>& argv);

 private:
  class AnswerBody;
  class LinesBody;
  std::shared_ptr<RunningCommand> start(const std::vector<std::string>& argv);

  local::PageServer& server_;
  std::shared_ptr<int> running_ = std::make_shared<int>(0);  ///< how many processes run now
};

}  // namespace kml::live
