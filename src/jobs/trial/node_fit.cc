#include "jobs/trial/node_fit.h"

#include <fmt/format.h>

#include "jobs/why/holders.h"
#include "jobs/why/nodes_cause.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

std::string names_of(const std::vector<Holder>& holders) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> names;
  for (const Holder& holder : holders)
    if (names.size() < kNamed) names.push_back((holder.kind == "Pod" ? "pod " : "") + holder.name);
  return join(names, ", ") +
         (holders.size() > kNamed ? fmt::format(" and {} more", holders.size() - kNamed) : "");
}

std::string wait_text(const Cause& cause) {
  if (cause.shortfalls.empty()) return "would wait: " + cause.summary;
  const Shortfall& first = cause.shortfalls[0];
  return "would wait for " + amount_text(first.resource, first.missing) +
         (cause.holders.empty() ? "" : " held by " + names_of(cause.holders));
}

}  // namespace

Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods) {
  using Verdict = Forecast::Verdict;
  static const Json kNotYetMade = Json::object();
  const Facts facts{.job = kNotYetMade};
  std::vector<const Json*> specs;
  for (const PodsWanted& group : wanted)
    specs.insert(specs.end(), static_cast<size_t>(group.count), &group.spec);
  for (const bool is_empty : {true, false}) {  // what no empty node could take waits for nobody
    static const std::vector<Json> kNone;
    const auto cause = nodes_cause(facts, specs, rooms_of(nodes, is_empty ? kNone : pods));
    if (cause && cause->outlook == Outlook::never) return {Verdict::never, "cannot run: " + cause->summary};
    if (cause) return {Verdict::waits, wait_text(*cause)};
  }
  return {Verdict::starts, "starts now"};
}

}  // namespace kml::jobs
