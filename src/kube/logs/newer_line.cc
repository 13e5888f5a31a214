#include "kube/logs/newer_line.h"

#include <algorithm>

#include "kube/logs/stamps.h"

namespace kml::kube {

namespace {

class Search {
 public:
  Search(const SeenLines& seen, const LinePieces& pieces) : seen_(seen), pieces_(pieces) { seen_.resumed(); }

  std::optional<NewerLine> next(std::string_view data) {
    pieces_.feed(data);
    for (LinePiece piece; pieces_.next(piece);) {
      Time time{};
      const size_t stamp = piece.begins ? stamps_.read(piece.text, time) : 0;
      if (stamp == 0) continue;
      const std::string_view text = piece.text.substr(std::min(stamp + 1, piece.text.size()));
      if (seen_.judge(time, text) != SeenLines::Verdict::seen) return NewerLine{time, std::string(text)};
    }
    return {};
  }

 private:
  SeenLines seen_;
  LinePieces pieces_;
  Stamps stamps_;
};

}  // namespace

std::unique_ptr<http::Stream> look_for_newer_line(Client& client, const http::Request& request,
                                                  const SeenLines& seen, const LinePieces& pieces,
                                                  const OnNewerLine& found) {
  return client.transport().stream(
      request,
      {.on_data =
           [search = Search(seen, pieces), found](std::string_view data) mutable {
             std::optional<NewerLine> line = search.next(data);
             if (!line) return true;
             found(std::move(line), nullptr);
             return false;
           },
       .on_end = [found](const http::Response&, const Error* broken) { found(std::nullopt, broken); }});
}

}  // namespace kml::kube
