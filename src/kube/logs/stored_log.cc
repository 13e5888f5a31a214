#include "kml/kube/logs/stored_log.h"

#include "kube/client/line_pieces.h"
#include "kube/logs/stamps.h"

namespace kml::kube {

struct StoredLog::State {
  LinePieces pieces{kLongestPiece};
  Stamps stamps;
  Time time{};
  bool at_rest = false;  ///< whether only the text after the last newline remains
};

StoredLog::StoredLog(std::string_view stored) : state_(std::make_unique<State>()) {
  state_->pieces.feed(stored);
}
StoredLog::~StoredLog() = default;
StoredLog::StoredLog(StoredLog&&) noexcept = default;
StoredLog& StoredLog::operator=(StoredLog&&) noexcept = default;

bool StoredLog::next(LogText& text) {
  State& state = *state_;
  LinePiece piece;
  if (!state.at_rest && !state.pieces.next(piece)) state.at_rest = true;
  if (state.at_rest && !state.pieces.take_rest(piece)) return false;
  text = {state.time, {}, piece.text, piece.begins, piece.ends};
  if (piece.begins) {
    if (const size_t stamp = state.stamps.read(piece.text, state.time)) {
      text.time = state.time;
      text.stamp = piece.text.substr(0, stamp);
      text.text.remove_prefix(std::min(stamp + 1, piece.text.size()));
    } else if (piece.text.starts_with("- ")) {
      // removes the mark that the stored log puts before a line that had no newline
      text.text.remove_prefix(2);
    }
  }
  return true;
}

}  // namespace kml::kube
