#include "job/commands/printed_entries.h"

#include <doctest/doctest.h>

namespace printed_entries_test {

using namespace kml;
using namespace kml::job;

namespace {

Json job(const std::string& name, const char* condition = nullptr) {
  Json made = {{"apiVersion", "batch/v1"},
               {"kind", "Job"},
               {"metadata", {{"name", name}, {"namespace", "lab"}, {"uid", name}}},
               {"spec", {{"template", {{"spec", {{"containers", Json::array({{{"name", "main"}}})}}}}}}}};
  if (condition) made["status"]["conditions"] = {{{"type", condition}, {"status", "True"}}};
  return made;
}

}  // namespace

TEST_CASE("printed entries: each printed job that leaves the queue is returned once, with its end") {
  JobQueue queue;
  for (const char* name : {"done", "broken", "deleted", "stays", "unprinted"}) queue.put(job(name));
  cli::PrintedEntries entries;
  const auto& present = queue.entries();
  entries.note(present, present);
  std::vector<const QueueEntry*> dropped;  // the flags no longer select it
  for (const QueueEntry* entry : present)
    if (entry->job.name == "unprinted") dropped.push_back(entry);
  entries.note(dropped, {});
  CHECK(entries.take_left(queue, present).empty());

  queue.put(job("done", "Complete"));
  queue.put(job("broken", "Failed"));
  queue.put(job("unprinted", "Complete"));
  queue.remove(job("deleted"));
  std::map<std::string, State> ends;
  for (const QueueEntry& entry : entries.take_left(queue, queue.entries())) {
    ends[entry.job.name] = entry.job.state;
    CHECK_FALSE(entry.object);
    CHECK((entry.job.cause == "deleted") == (entry.job.name == "deleted"));
  }
  CHECK(ends == std::map<std::string, State>{
                    {"broken", State::failed}, {"deleted", State::cancelled}, {"done", State::succeeded}});
  CHECK(entries.take_left(queue, queue.entries()).empty());
}

}  // namespace printed_entries_test
