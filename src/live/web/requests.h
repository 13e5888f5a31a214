#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/local/http_message.h"

namespace kml::live {

/// A kml command for one row: the target and the words.
struct RowCommand {
  std::string cluster, namespace_name;
  std::vector<std::string> words;
};

/// A page's request, with the kml command that answers it.
struct Question {
  RowCommand command = {};
  /// Whether the command prints an HTML page. The answer then contains only the data in the page.
  bool prints_page = false;
  bool follows = false;  ///< whether the answer is a stream of lines
};

/// The Question for a request for /data/NAME, where NAME is why, log, attempts, timeline, sweep or runs.
/// Empty for any other path. Throws usage Error if a name is invalid, if there are none or too many, or if
/// the cluster is not one of `clusters`.
std::optional<Question> question_of(const local::HttpRequest& request,
                                    const std::vector<std::string>& clusters);

/// The command of an action: {"action": "cancel", "cluster", "namespace", "name"}; suspend, resume and rerun
/// likewise; rerun may have a "priority". Throws usage Error if it is not such an action.
RowCommand action_of(const Json& asked, const std::vector<std::string>& clusters);

/// The data in a page of reports, as JSON text; empty if there is none.
std::string data_of_page(const std::string& page);

}  // namespace kml::live
