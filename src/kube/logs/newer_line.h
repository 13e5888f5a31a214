#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kml/kube/client.h"
#include "kube/line_pieces.h"
#include "kube/logs/seen_lines.h"

namespace kml::kube {

struct NewerLine {
  Time time;
  std::string text;
};

/// The log's first line that is not among those seen; empty where all are.
using OnNewerLine = std::function<void(std::optional<NewerLine> line, const Error* broken)>;

/// Looks for it with a request that does not follow; `pieces`, which have read nothing, cut lines as they
/// were when they were seen. One call of `found`, which may destroy the result.
std::unique_ptr<http::Stream> look_for_newer_line(Client& client, const http::Request& request,
                                                  const SeenLines& seen, const LinePieces& pieces,
                                                  const OnNewerLine& found);

}  // namespace kml::kube
