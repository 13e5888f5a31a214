#include "job/queue/queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "kml/base/files.h"
#include "support/owner.h"

namespace queue_test {

using namespace kml;
using namespace kml::job;

namespace {

Json job(const std::string& name, int created_second, const std::string& priority = "") {
  Json object = Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "lab"},
    "spec": {"parallelism": 2, "template": {"spec": {"containers":
      [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}})");
  object["metadata"]["name"] = name;
  object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:0" + std::to_string(created_second) + "Z";
  if (!priority.empty()) object["spec"]["template"]["spec"]["priorityClassName"] = priority;
  return object;
}

Json pod(const std::string& of_job, const std::string& phase, const std::string& node = "") {
  Json object = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", of_job + "-0"}, {"namespace", "lab"}, {"ownerReferences", controlled_by(of_job, "u")}}},
      {"spec", {{"containers", Json::array({{{"resources", {{"limits", {{"nvidia.com/gpu", "4"}}}}}}})}}},
      {"status", {{"phase", phase}}}};
  if (!node.empty()) object["spec"]["nodeName"] = node;
  return object;
}

Json bare_pod(const std::string& name, const std::string& phase) {
  Json object = pod(name, phase);
  object["metadata"]["name"] = name;
  object["metadata"].erase("ownerReferences");
  return object;
}

Json ended(Json object) {
  object["status"]["conditions"] = Json::array({{{"type", "Complete"}, {"status", "True"}}});
  return object;
}

Json recorded(const std::string& file) {
  return Json::parse(read_file(std::string(KML_SOURCE_DIR "/tests/recorded/kueue/") + file));
}
void put_recorded(JobQueue& queue, const std::string& file) {
  const Json list = recorded(file);
  for (const Json& item : list.at("items")) queue.put(item);
}

/// Puts the job with a pod that waits for a node.
void put_waiting(JobQueue& queue, const Json& waiting) {
  queue.put(waiting);
  queue.put(pod(string_at(waiting, {"metadata", "name"}), "Pending"));
}

/// The order as text: "0runs 1urgent 2old".
std::string order_of(JobQueue& queue) {
  std::string order;
  for (const QueueEntry* entry : queue.entries())
    order += (order.empty() ? "" : " ") + std::to_string(entry->position) + entry->job.name;
  return order;
}
const QueueEntry& entry(JobQueue& queue, const std::string& name) {
  for (const QueueEntry* entry : queue.entries())
    if (entry->job.name == name) return *entry;
  FAIL("no entry " << name);
  throw 0;
}

}  // namespace

TEST_CASE("queue: running jobs come first, then waiting jobs by priority and age, then suspended ones") {
  JobQueue queue;
  Json paused = job("paused", 1, "high");
  paused["spec"]["suspend"] = true;
  for (const Json& waiting : {job("young", 5), job("old", 3), job("urgent", 6, "high")})
    put_waiting(queue, waiting);
  for (const Json& object : {paused, job("runs", 7), ended(job("done", 2)), pod("runs", "Running", "a")})
    queue.put(object);
  queue.put({{"kind", "PriorityClass"}, {"metadata", {{"name", "high"}}}, {"value", 1'000'000}});
  CHECK(order_of(queue) == "0runs 1urgent 2old 3young 0paused");
  CHECK(entry(queue, "runs").gpus_held == 4);
  CHECK(entry(queue, "runs").job.gpus == 8);
}

TEST_CASE("queue: a job that can never start has no position, and the others are counted without it") {
  const auto waits = [](const std::string& of_job, const char* message, const char* type = "PodScheduled") {
    Json object = pod(of_job, "Pending");
    object["status"]["conditions"] = Json::array(
        {{{"type", type}, {"status", "False"}, {"reason", "Unschedulable"}, {"message", message}}});
    return object;
  };
  constexpr const char* kNever =
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: 1 "
      "Preemption is not helpful for scheduling.";
  for (const char* message :
       {kNever, "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
        "0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: team}.",
        "0/1 nodes are available: persistentvolumeclaim \"data\" not found. not found"}) {
    CAPTURE(message);
    for (const QueueForm form : {QueueForm::whole, QueueForm::packed}) {
      JobQueue queue(form);
      for (const Json& object : {job("never", 1), waits("never", message), job("next", 2),
                                 waits("next", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."),
                                 job("last", 3), pod("last", "Pending")})
        queue.put(object);
      if (form == QueueForm::whole) {
        CHECK(order_of(queue) == "1next 2last 0never");
        CHECK(entry(queue, "never").job.cannot_start);
        CHECK(entry(queue, "never").job.state == State::waiting);
        continue;
      }
      std::set<std::string> positions;
      queue.take_changes([&](const QueueChange& change) {
        if (change.group) positions.insert(change.entry->job.name);
      });
      CHECK(positions == std::set<std::string>{"last", "next"});
    }
  }
  JobQueue pods;  // without jobs
  Json never = waits("never", kNever), next = waits("next", "0/1 nodes are available: 1 Insufficient cpu.");
  for (Json* each : {&never, &next}) (*each)["metadata"].erase("ownerReferences");
  pods.put(never);
  pods.put(next);
  CHECK(order_of(pods) == "1next-0 0never-0");
}

TEST_CASE(
    "queue: jobs of the same second are sorted by their submits, otherwise by the numbers in their names") {
  JobQueue queue;
  for (const char* name : {"exp-10", "exp-9"}) put_waiting(queue, job(name, 5));
  CHECK(order_of(queue) == "1exp-9 2exp-10");
  Json early = job("zeta", 5), late = job("alpha", 5);
  early["metadata"]["annotations"]["kml.dev/submitted"] = "2026-01-01T00:00:05.100000Z";
  late["metadata"]["annotations"]["kml.dev/submitted"] = "2026-01-01T00:00:05.900000Z";
  JobQueue submitted;
  put_waiting(submitted, late);
  put_waiting(submitted, early);
  CHECK(order_of(submitted) == "1zeta 2alpha");
}

TEST_CASE("queue: a preempted job waits from the creation of its new pod, as the scheduler sees it") {
  JobQueue queue;
  Json new_pod = pod("preempted", "Pending");
  new_pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:09Z";
  for (const Json& object : {job("preempted", 1), job("next", 5), new_pod, pod("next", "Pending")})
    queue.put(object);
  CHECK(order_of(queue) == "1next 2preempted");
}

TEST_CASE("queue: changes arrive object by object, and each one shows in the order") {
  JobQueue queue;
  for (int i = 0; i < 5; ++i) put_waiting(queue, job("job" + std::to_string(i), i));
  CHECK(order_of(queue) == "1job0 2job1 3job2 4job3 5job4");
  queue.put(pod("job3", "Running", "a"));
  CHECK(order_of(queue) == "0job3 1job0 2job1 3job2 4job4");
  queue.put(ended(job("job0", 0)));
  queue.put(pod("job3", "Pending"));
  CHECK(order_of(queue) == "1job1 2job2 3job3 4job4");
  queue.remove({{"kind", "Pod"}, {"metadata", {{"name", "job3-0"}, {"namespace", "lab"}}}});
  queue.remove({{"kind", "Job"}, {"metadata", {{"name", "job2"}, {"namespace", "lab"}}}});
  CHECK(order_of(queue) == "1job1 2job4 0job3");  // job3 has no pod any more
}

TEST_CASE("queue: pods without a job are listed too, except pods of web servers without GPUs") {
  JobQueue queue;
  Json web = bare_pod("web", "Running");
  web["metadata"]["ownerReferences"] =
      Json::array({{{"kind", "ReplicaSet"}, {"name", "web"}, {"controller", true}}});
  Json notebook = web;
  notebook["metadata"]["name"] = "notebook";
  web["spec"]["containers"] = Json::array();
  for (const Json& object : {bare_pod("alone", "Pending"), web, notebook, bare_pod("done", "Succeeded")})
    queue.put(object);
  CHECK(order_of(queue) == "0notebook 1alone");
  CHECK(entry(queue, "alone").job.kind == "Pod");
  CHECK(entry(queue, "alone").job.gpus == 4);
}

TEST_CASE("queue: a job that the user may not read is found through its pods") {
  JobQueue queue;
  queue.put(pod("hidden", "Running", "a"));
  CHECK(order_of(queue).empty());
  queue.cannot_see("Job");
  CHECK(order_of(queue) == "0hidden");
  CHECK(entry(queue, "hidden").job.kind == "Job");
}

TEST_CASE("queue: a stopping pod without a job still holds its node, and takes no position in the queue") {
  JobQueue queue;
  Json stopping = bare_pod("web", "Running");
  stopping["spec"]["nodeName"] = "a";
  stopping["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:30Z";
  queue.put(stopping);
  put_waiting(queue, job("next", 1));
  CHECK(order_of(queue) == "0web 1next");
  CHECK(entry(queue, "web").job.state == State::running);
  CHECK(entry(queue, "web").job.cause == "stopping");
}

TEST_CASE("queue: jobs waiting for Kueue are in the order of their Workloads, with Kueue's reasons") {
  JobQueue queue;
  put_recorded(queue, "1-jobs.json");
  put_recorded(queue, "1-pending.json");
  for (const char* name : {"run1", "pre1"}) {  // Kueue has started these
    Json admitted = pod(name, "Pending");
    admitted["metadata"]["namespace"] = "default";
    queue.put(admitted);
  }
  CHECK(order_of(queue) == "1run1 1wait1 0never 0noqueue");
  CHECK(entry(queue, "wait1").queue == "lq");
  CHECK(entry(queue, "wait1").job.cause == "needs 2 GPUs more in queue lq");
  CHECK(entry(queue, "noqueue").job.cause == "no queue nope");
  CHECK(entry(queue, "run1").cluster_queue == "team");
  CHECK(queue.kueue_queues() == std::set<std::string>{"default/lq", "default/nope"});

  SUBCASE("the visibility API takes precedence") {
    queue.set_kueue_position("default", "job-wait1-b0fea", 2);
    queue.set_kueue_position("default", "job-never-ef7dd", 1);
    CHECK(order_of(queue) == "1run1 2wait1 0never 0noqueue");
  }
  SUBCASE("a preempted job returns to its position") {
    put_recorded(queue, "2-jobs.json");
    put_recorded(queue, "2-preempted.json");
    CHECK(order_of(queue) == "1pre1 1run1 2wait1 0never 0noqueue");
  }
  SUBCASE("a queue is shown by its ClusterQueue") {
    put_recorded(queue, "3-queues.json");
    CHECK(entry(queue, "wait1").cluster_queue == "team");
  }
}

namespace {

/// The lines of a packed queue, kept up to date by its changes.
struct PackedLines {
  void take(JobQueue& queue) {
    queue.take_changes([this](const QueueChange& change) {
      ended.erase(change.id);
      std::erase_if(listed, [&](const auto& entry) { return entry.second.first == change.id; });
      if (change.entry && change.is_listed)
        listed[change.order] = {change.id, change.group.value_or("no group") + "/" + change.entry->job.cause};
      else if (change.entry)
        ended.insert(change.id);
    });
  }
  std::string ids() const {
    std::string text;
    for (const auto& [order, line] : listed) text += line.first + " ";
    return text;
  }

  std::map<std::string, std::pair<std::string, std::string>> listed;  ///< by order
  std::set<std::string> ended;
};

std::string ids_of(JobQueue& queue) {
  std::string text;
  for (const QueueEntry* entry : queue.entries()) text += id_of(*entry) + " ";
  return text;
}

}  // namespace

TEST_CASE("queue: in packed form, the queue has the same lines in the same order") {
  JobQueue whole, packed(QueueForm::packed);
  PackedLines lines;
  const auto put = [&](const Json& object) {
    whole.put(object);
    packed.put(object);
    lines.take(packed);
    CHECK(lines.ids() == ids_of(whole));
  };
  const auto remove = [&](const Json& object) {
    whole.remove(object);
    packed.remove(object);
    lines.take(packed);
    CHECK(lines.ids() == ids_of(whole));
  };
  Json class_of = {{"kind", "PriorityClass"}, {"metadata", {{"name", "high"}}}, {"value", 1000}};
  put(class_of);
  for (const char* name : {"exp-10", "exp-9", "exp-9b", "exp", "z", "a"}) put(job(name, 1));
  put(job("urgent", 5, "high"));
  put(job("old", 0));
  Json suspended = job("suspended", 0);
  suspended["spec"]["suspend"] = true;
  put(suspended);
  put(pod("z", "Running", "node"));
  put(pod("exp", "Pending"));
  put(bare_pod("alone", "Pending"));
  put(ended(job("a", 1)));
  CHECK(lines.ended == std::set<std::string>{"lab/Job/a"});
  class_of["value"] = -1;
  put(class_of);
  remove(pod("z", "Running", "node"));
  remove(job("exp-9", 1));
  remove(bare_pod("alone", "Pending"));
  remove(job("a", 1));
  CHECK(lines.ended.empty());
  CHECK(packed.job_of(pod("old", "Pending")) == job("old", 0));
  CHECK_FALSE(packed.job_of(pod("absent", "Pending")));
}

TEST_CASE("queue: in packed form, the queue has Kueue's queues, reasons and positions") {
  JobQueue whole, packed(QueueForm::packed);
  for (JobQueue* queue : {&whole, &packed})
    for (const char* file : {"1-jobs.json", "1-pending.json", "3-queues.json"}) put_recorded(*queue, file);
  packed.set_kueue_position("default", "job-never-ef7dd", 1);
  packed.set_kueue_position("default", "job-wait1-b0fea", 2);
  whole.set_kueue_position("default", "job-never-ef7dd", 1);
  whole.set_kueue_position("default", "job-wait1-b0fea", 2);
  PackedLines lines;
  lines.take(packed);
  CHECK(lines.ids() == ids_of(whole));
  CHECK(packed.kueue_queues() == whole.kueue_queues());
  std::set<std::string> causes;
  for (const auto& [order, line] : lines.listed) causes.insert(line.second);
  CHECK(causes.contains("team/needs 2 GPUs more in queue lq"));
}

TEST_CASE("queue: pods without a job are one line if a PodGroup starts them together") {
  JobQueue queue;
  for (const char* name : {"a", "b"}) {
    Json pod = bare_pod(name, "Pending");
    pod["spec"]["schedulingGroup"]["podGroupName"] = "duo";
    queue.put(pod);
  }
  queue.put(bare_pod("c", "Pending"));
  REQUIRE(queue.entries().size() == 2);
  const QueueEntry& duo = entry(queue, "duo");
  CHECK(duo.job.kind == "PodGroup");
  CHECK(duo.job.pods == 2);
  CHECK(duo.job.gpus == 8);
  Json gone = bare_pod("a", "Pending");
  queue.remove(gone);
  queue.entries();
  CHECK(entry(queue, "duo").job.pods == 1);
}

TEST_CASE("queue: thousands of objects give the same lines in any order, and their pods can be visited") {
  std::vector<Json> objects;
  for (int i = 0; i < 1500; ++i) {
    const std::string name = "train-" + std::to_string(i);
    objects.push_back(i % 5 == 0 ? ended(job(name, i % 10)) : job(name, i % 10));
    for (const char* rank : {"-0", "-1"}) {
      Json& made = objects.emplace_back(pod(name, i % 3 == 0 ? "Pending" : "Running", "gpu-1"));
      made["metadata"]["name"] = name + rank;
    }
  }
  const auto text_of = [](JobQueue& queue) {
    std::string text;
    for (const QueueEntry* entry : queue.entries())
      text += id_of(*entry) + " " + std::to_string(entry->gpus_held) + " " + entry->first_pod + "\n";
    std::map<std::string, std::string> pods_of;
    queue.each([&](const Json& of, const std::vector<Json>& pods, const QueueEntry&) {
      for (const Json& each : pods)
        pods_of[of["metadata"]["name"]] += each["metadata"]["name"].get<std::string>();
    });
    for (const auto& [name, pods] : pods_of) text += name + " " + std::to_string(pods.size()) + "\n";
    return text;
  };
  JobQueue in_steps;  // in each step, too few objects to pack any
  for (size_t i = 0; i < objects.size(); ++i) {
    in_steps.put(objects[i]);
    if (i % 50 == 0) in_steps.entries();
  }
  const std::string expected = text_of(in_steps);
  CHECK(expected.find("lab/Job/train-1 8 train-1-0\n") != std::string::npos);
  std::mt19937 random(7);
  for (int order = 0; order < 4; ++order) {
    JobQueue queue;
    for (const Json& object : objects) queue.put(object);
    CHECK(text_of(queue) == expected);
    for (size_t i = 0; i < objects.size(); i += 7) queue.remove(objects[i]);
    queue.entries();
    for (size_t i = 0; i < objects.size(); i += 7) queue.put(objects[i]);
    CHECK(text_of(queue) == expected);
    std::shuffle(objects.begin(), objects.end(), random);
  }
}

}  // namespace queue_test
