#include "kube/logs/seen_lines.h"

#include <algorithm>
#include <functional>

#include "kube/logs/stamps.h"

namespace kml::kube {

namespace {

constexpr std::chrono::seconds kDisorder{1};
constexpr size_t kFirstSize = 64;

Time begin_of_resume(Time last) {
  return std::chrono::floor<std::chrono::seconds>(last) - kDisorder;
}

}  // namespace

uint64_t SeenLines::hash_of(Time time, std::string_view text) {
  // The odd factor distributes times that differ only in a few bits.
  return std::hash<std::string_view>()(text) ^
         (static_cast<uint64_t>(time.time_since_epoch().count()) * 0x9E3779B97F4A7C15u);
}

std::optional<Time> SeenLines::resume_from() const {
  if (last_ == Time{}) return {};
  return begin_of_resume(last_);
}

void SeenLines::grow() {
  std::vector<Line> larger(std::max(kFirstSize, lines_.size() * 2));
  for (size_t i = 0; i < count_; ++i) larger[i] = at(i);
  lines_ = std::move(larger);
  begin_ = 0;
}

void SeenLines::add(Time time, uint64_t hash) {
  last_ = time;
  const Time oldest = begin_of_resume(time);
  auto drop_first = [this] {
    begin_ = (begin_ + 1) & (lines_.size() - 1);
    --count_;
  };
  while (count_ > 0 && at(0).time < oldest) drop_first();
  if (pushed_out_ < oldest) pushed_ = 0;
  if (count_ == lines_.size()) {
    if (count_ < kMost) {
      grow();
    } else {
      pushed_out_ = pushed_ == 0 ? at(0).time : std::max(pushed_out_, at(0).time);
      ++pushed_;
      drop_first();
    }
  }
  at(count_++) = {time, hash};
}

void SeenLines::end_replay() {
  replaying_ = false;
  pending_ = {};
}

void SeenLines::resumed() {
  replaying_ = count_ > 0;
  matched_ = false;
  skipped_ = 0;
  newest_ = last_;
  left_ = count_;
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < count_; ++i) {
    hashes.push_back(at(i).hash);
    newest_ = std::max(newest_, at(i).time);
  }
  std::sort(hashes.begin(), hashes.end());
  pending_.clear();
  for (uint64_t hash : hashes)
    if (!pending_.empty() && pending_.back().hash == hash)
      ++pending_.back().lines;
    else
      pending_.push_back({hash, 1});
}

SeenLines::Verdict SeenLines::judge_again(Time time, uint64_t hash) {
  const auto known = std::lower_bound(pending_.begin(), pending_.end(), hash,
                                      [](const Count& count, uint64_t value) { return count.hash < value; });
  if (known != pending_.end() && known->hash == hash && known->lines > 0) {
    --known->lines;
    --left_;
    matched_ = true;
    if (left_ == 0 && skipped_ >= pushed_) end_replay();
    return Verdict::seen;
  }
  // All lines before the first recognized one are old. Of the lines after it, only those that did not fit
  // into the ring may be old.
  if (time <= newest_ && (!matched_ || (time <= pushed_out_ && skipped_ < pushed_))) {
    ++skipped_;
    return Verdict::seen;
  }
  if (!matched_) return Verdict::fresh_after_gap;
  add(time, hash);
  if (time > newest_ + kDisorder) end_replay();
  return Verdict::fresh;
}

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

LookEnd end_of_look(const http::Response& response, const Error* broken) {
  if (broken) return LookEnd::broken;
  return response.status / 100 == 2 && !response.is_web_page() ? LookEnd::read : LookEnd::rejected;
}

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
             found(std::move(line), LookEnd::read);
             return false;
           },
       .on_end = [found](const http::Response& response,
                         const Error* broken) { found(std::nullopt, end_of_look(response, broken)); }});
}

}  // namespace kml::kube
