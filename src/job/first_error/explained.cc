#include <algorithm>

#include "job/first_error/deaths.h"
#include "job/first_error/elastic_report.h"
#include "job/logs/rank_prefix.h"
#include "kml/base/clean.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

/// An error that was printed longer than this before the last line did not end the program.
constexpr std::chrono::seconds kLastWords{60};

using LinesByRank = std::map<int, std::vector<TailLine>>;

/// The lines that have a rank's prefix, by rank, without the prefixes.
LinesByRank by_rank(const std::vector<TailLine>& lines, int first_local) {
  LinesByRank ranks;
  for (const TailLine& line : lines)
    if (const auto prefix = rank_prefix(line.text))
      ranks[prefix->number + (prefix->is_local ? first_local : 0)].push_back(
          {line.time, line.text.substr(prefix->length)});
  return ranks;
}

/// Whether Python prints this line between an exception and one that followed from it.
bool leads_to_next_exception(std::string_view line) {
  return line == "The above exception was the direct cause of the following exception:" ||
         line == "During handling of the above exception, another exception occurred:";
}

/// The exception that may have ended the program: the line at `first`, or the last exception in the chain
/// that it started.
size_t end_of_chain(const std::vector<TailLine>& lines, size_t first) {
  enum class Next { nothing, traceback, exception } next = Next::nothing;
  size_t told = first;
  for (size_t i = first + 1; i < lines.size(); ++i) {
    const std::string plain = without_colours(lines[i].text);
    const std::string_view line = trim(plain);
    if (leads_to_next_exception(line)) {
      next = Next::traceback;
    } else if (next == Next::traceback && line.starts_with("Traceback ")) {
      next = Next::exception;
    } else if (next == Next::exception && !line.empty() && plain[0] != ' ') {
      told = i;
      next = Next::nothing;
    }
  }
  return told;
}

/// Whether the program caught the exception at `last`. After an uncaught exception, Python ends with exit
/// code 1, and usually prints nothing more.
bool is_caught(const ContainerExit& exit, const std::vector<TailLine>& lines, size_t last) {
  if (exit.code == 1 || !begins_with_exception(trim(without_colours(lines[last].text)))) return false;
  return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(last) + 1, lines.end(),
                     [](const TailLine& line) { return !trim(without_colours(line.text)).empty(); });
}

/// Adds the program's own explanation of its end, from its log.
void explain(Death& death, const std::vector<TailLine>& lines) {
  if (lines.empty()) return;
  death.lines = lines;
  death.spoke = lines.back().time;
  for (size_t i = 0; i < lines.size(); ++i) {
    const TailLine& line = lines[i];
    if (lines.back().time - line.time > kLastWords) continue;
    const std::optional<EndKind> told = kind_told_by(line.text);
    if (!told) continue;
    const size_t last = end_of_chain(lines, i);
    if (is_caught(death.exit, lines, last)) continue;
    death.spoke = line.time;
    death.told = trim(without_colours(lines[last].text));
    // A crash or a lack of memory is always the rank's own error, whatever the log says. The log of a rank
    // that was stopped proves nothing.
    if (death.kind == EndKind::unexplained || death.kind == EndKind::killed) death.kind = *told;
    return;
  }
}

void add_ranks(std::vector<Death>& out, const Death& container, const std::vector<TailLine>& lines,
               const LinesByRank& ranks) {
  const std::vector<ElasticFailure> failures = elastic_failures(lines);
  for (const ElasticFailure& failure : failures) {
    Death death{container.source,         failure.rank,         failure.exit, kind_of(failure.exit, false),
                container.container_code, failure.is_root_cause};
    death.exit.finished = container.exit.finished;
    const auto said = ranks.find(failure.rank);
    explain(death, said == ranks.end() ? failure.lines : said->second);
    // without lines of the rank, the time would be that of the report, which comes after the end of all ranks
    if (said == ranks.end()) death.spoke.reset();
    out.push_back(std::move(death));
  }
  for (const auto& [rank, said] : ranks) {
    if (std::any_of(failures.begin(), failures.end(),
                    [rank = rank](const ElasticFailure& failure) { return failure.rank == rank; }))
      continue;
    Death death{container.source, rank, container.exit, EndKind::unexplained, container.container_code};
    explain(death, said);
    if (death.kind != EndKind::unexplained) out.push_back(std::move(death));
  }
}

}  // namespace

std::vector<Death> explained(const std::vector<Death>& deaths, const Tails& tails, int ranks_per_pod) {
  std::vector<Death> out;
  for (const Death& death : deaths) {
    const LogSource& source = death.source;
    const auto found = tails.find({source.pod_uid, source.container, source.restart});
    const std::vector<TailLine> lines = found == tails.end() ? std::vector<TailLine>() : found->second;
    const size_t before = out.size();
    if (source.is_main) add_ranks(out, death, lines, by_rank(lines, source.rank.value_or(0) * ranks_per_pod));
    if (out.size() > before) continue;
    out.push_back(death);
    explain(out.back(), lines);
  }
  return out;
}

}  // namespace kml::job
