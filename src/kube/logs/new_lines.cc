#include "kube/logs/new_lines.h"

#include <algorithm>
#include <utility>

namespace kml::kube {

std::optional<Time> NewLines::begin_response() {
  pieces_.clear();
  held_.clear();
  input_ = Input::response;
  const std::optional<Time> from = seen_.resume_from();
  is_unproven_ = std::exchange(has_begun_, true) && !from;
  if (from) seen_.resumed();
  return from;
}

void NewLines::end() {
  input_ = Input::rest;
  is_unproven_ = false;
  seen_.accept();
}

bool NewLines::next(LogText& line) {
  if (input_ == Input::over) return false;  // the rest stays valid until the next call of take_rest()
  const bool is_rest = input_ == Input::rest;
  if (is_rest) input_ = Input::over;
  if (!(is_rest ? pieces_.take_rest(piece_) : pieces_.next(piece_))) return false;
  line = {time_, {}, piece_.text, piece_.begins, piece_.ends};
  if (!piece_.begins) return true;
  if (const size_t stamp = stamps_.read(piece_.text, line.time)) {
    line.stamp = piece_.text.substr(0, stamp);
    line.text.remove_prefix(std::min(stamp + 1, piece_.text.size()));
  }
  return true;
}

SeenLines::Verdict NewLines::judge(const LogText& line) {
  const SeenLines::Verdict verdict =
      is_unproven_ ? SeenLines::Verdict::fresh_after_gap : seen_.judge(line.time, line.text);
  if (verdict != SeenLines::Verdict::fresh_after_gap) {
    time_ = line.time;
    return verdict;
  }
  held_ = std::string(piece_.text) + (piece_.ends ? "\n" : "") + std::string(pieces_.unread());
  pieces_.clear();
  return verdict;
}

std::optional<NewLines::Gap> NewLines::accept() {
  const bool is_gap = !std::exchange(is_unproven_, false);
  accepted_ = std::exchange(held_, {});
  pieces_.feed(accepted_);
  if (!is_gap) return {};
  seen_.accept();
  Gap gap{seen_.newest_before(), time_};
  stamps_.read(accepted_, gap.next);
  return gap;
}

/// The part of the next line that is certainly new. Nothing during a replay, because the line may already
/// have been passed on.
std::optional<LogText> NewLines::unfinished() {
  const LinePiece piece = pieces_.unfinished();
  if (is_unproven_ || seen_.replaying() || piece.text.empty()) return {};
  LogText line{time_, {}, piece.text, piece.begins, false};
  if (!piece.begins) return line;
  const size_t stamp = stamps_.read(piece.text, line.time);
  if (stamp == 0 || stamp >= piece.text.size()) return {};  // the timestamp may itself be incomplete
  line.stamp = piece.text.substr(0, stamp);
  line.text.remove_prefix(stamp + 1);
  return line;
}

}  // namespace kml::kube
