// A kubelet's log in random pieces: the lines are the same as if the log came in one piece, and no byte is
// lost.
#include <vector>

#include "fuzz/input.h"
#include "kml/kube/logs/log_stream.h"
#include "kml/kube/logs/stored_log.h"
#include "kube/client/line_pieces.h"
#include "support/fake_transport.h"

using namespace kml;

namespace {

/// Converts the lines back to text; a line that continues ends in "~".
std::string joined(std::vector<std::string> cuts, size_t limit) {
  std::string text;
  kube::LinePieces pieces(limit);
  kube::LinePiece piece;
  const auto take = [&] { text.append(piece.text).append(piece.ends ? "\n" : "~"); };
  for (const std::string& cut : cuts) {
    pieces.feed(cut);
    while (pieces.next(piece)) take();
  }
  if (pieces.take_rest(piece)) take();
  return text;
}

std::string line_of(const kube::LogText& line) {
  return std::to_string(line.time.time_since_epoch().count()) + std::string(line.stamp) + "|" +
         std::string(line.text) + (line.begins ? "" : "+") + (line.ends ? "\n" : "~");
}

std::string followed(std::vector<std::string> cuts, bool& failed) {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  transport.stub("GET", "/api/v1/namespaces/n/pods/p/log", {.pieces = std::move(cuts)});
  std::string text;
  const auto log = kube::make_log_stream(client, "n", "p",
                                         {.on_lines =
                                              [&text](std::span<const kube::LogText> lines) {
                                                for (const kube::LogText& line : lines) text += line_of(line);
                                              },
                                          .on_doubt = [] {},
                                          .on_gap = [](Time, Time) {},
                                          .on_lost = [](std::string_view) {},
                                          .on_end = [] {},
                                          .on_failure = [&failed](const Error&) { failed = true; }});
  log->ask({});
  transport.run_for(std::chrono::milliseconds(1));
  if (!failed) log->finish();
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input = fuzz::text_of(data, size);
  std::vector<std::string> cuts;
  std::string whole;
  while (!input.empty()) whole += cuts.emplace_back(fuzz::take_until(input, '\0'));
  for (size_t limit : {1, 7, 4096}) fuzz::require(joined(cuts, limit) == joined({whole}, limit));
  std::string ended = whole;
  if (!whole.empty() && !whole.ends_with('\n')) ended += '\n';
  fuzz::require(joined({whole}, 1 << 20) == ended);

  bool failed = false;
  const std::string got = followed(cuts, failed);
  std::string stored;
  kube::LogText line;
  for (kube::StoredLog log(whole); log.next(line);) stored += line_of(line);
  // In a stored log, "- " marks a line without a timestamp; from a kubelet it is text.
  const bool has_mark = whole.starts_with("- ") || whole.find("\n- ") != std::string::npos;
  fuzz::require(failed || has_mark || got == stored);
  return 0;
}
