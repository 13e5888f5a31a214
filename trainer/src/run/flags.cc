#include "run/flags.h"

#include <limits>

#include "run/flag_values.h"

namespace trainer {

namespace {

constexpr uint64_t kMany = 1'000'000'000;

}  // namespace

const std::vector<Flag>& flags() {
  static const std::vector<Flag> table = {
      {"data", "DIR", "folder with the four IDX files (default: where get-mnist puts them)",
       [](Options& o, const std::string& v) { o.data = v; }},
      {"verify", "auto|mnist|fashion-mnist|custom",
       "auto: accept MNIST, Fashion-MNIST or, with a note, other data of the same form, but not a mixture\n"
       "(a damaged file); mnist, fashion-mnist: only these files, by md5; custom: anything of the right form",
       [](Options& o, const std::string& v) {
         o.verify = choice<Verify>("verify", v,
                                   {{"auto", Verify::automatic},
                                    {"mnist", Verify::mnist},
                                    {"fashion-mnist", Verify::fashion_mnist},
                                    {"custom", Verify::custom}});
       }},
      {"max_steps", "N", "steps; some of them evaluate instead of training (default 1000)",
       [](Options& o, const std::string& v) { o.max_steps = number<uint64_t>("max_steps", v, 0, kMany); }},
      {"evaluate-every", "N",
       "evaluate in steps that are multiples of it; 0: at the end only (default 10, as in the demo)",
       [](Options& o, const std::string& v) {
         o.evaluate_every = number<uint64_t>("evaluate-every", v, 0, kMany);
       }},
      {"model", "mlp|cnn",
       "mlp: a layer of hidden units, as the demo's; cnn: two 3 x 3 convolutions of 32 and 64 planes,\n"
       "max-pool, hidden units (default mlp)",
       [](Options& o, const std::string& v) {
         o.model = choice<ModelKind>("model", v, {{"mlp", ModelKind::mlp}, {"cnn", ModelKind::cnn}});
       }},
      {"optimizer", "adam|sgd", "Adam, or SGD with momentum (default adam)",
       [](Options& o, const std::string& v) {
         o.optimizer = choice<OptimizerKind>("optimizer", v,
                                             {{"adam", OptimizerKind::adam}, {"sgd", OptimizerKind::sgd}});
       }},
      {"momentum", "X", "of sgd (default 0.9)",
       [](Options& o, const std::string& v) { o.momentum = number<Real>("momentum", v, 0, 1); }},
      {"nesterov", nullptr, "Nesterov's momentum, of sgd",
       [](Options& o, const std::string&) { o.nesterov = true; }},
      {"schedule", "constant|cosine|step",
       "the learning rate over the updates; cosine: down to 0; step: a tenth from half of them on, a "
       "hundredth\n"
       "from three quarters on (default constant)",
       [](Options& o, const std::string& v) {
         using Kind = Schedule::Kind;
         o.schedule = choice<Kind>(
             "schedule", v, {{"constant", Kind::constant}, {"cosine", Kind::cosine}, {"step", Kind::step}});
       }},
      {"schedule-updates", "N", "how many updates the schedule is for (default: those of --max_steps)",
       [](Options& o, const std::string& v) {
         o.schedule_updates = number<uint64_t>("schedule-updates", v, 1, kMany);
       }},
      {"warm-up", "N", "updates over which the learning rate rises from 0 (default 0)",
       [](Options& o, const std::string& v) { o.warm_up = number<uint64_t>("warm-up", v, 0, kMany); }},
      {"learning_rate", "X", "learning rate (default 0.001, of sgd 0.05)",
       [](Options& o, const std::string& v) {
         o.learning_rate = number<Real>("learning_rate", v, 0, Real{1e30f});
       }},
      {"dropout", "KEEP",
       "probability to KEEP a hidden value in training, as in the TensorFlow demo: 0.9 drops a tenth,\n"
       "1 switches dropout off (default 0.9)",
       [](Options& o, const std::string& v) { o.keep = number<Real>("dropout", v, Real{0.001f}, 1); }},
      {"batch-size", "N", "examples an update (default 100)",
       [](Options& o, const std::string& v) { o.batch_size = number<uint32_t>("batch-size", v, 1, 65535); }},
      {"hidden", "N", "hidden units (default 500, of cnn 128)",
       [](Options& o, const std::string& v) { o.hidden = number<uint32_t>("hidden", v, 1, 65536); }},
      {"seed", "N", "seed of weights, order and dropout (default 1)",
       [](Options& o, const std::string& v) {
         o.seed = number<uint64_t>("seed", v, 0, std::numeric_limits<uint64_t>::max());
       }},
      {"device", "cpu|cuda|auto", "where to compute (default auto)",
       [](Options& o, const std::string& v) {
         o.device = choice<Device>(
             "device", v, {{"cpu", Device::cpu}, {"cuda", Device::cuda}, {"auto", Device::automatic}});
       }},
      {"precision", "fp32|tf32|bf16",
       "how a GPU rounds the factors of its large products: fp32 not at all; tf32 to 10, bf16 to 7 bits of\n"
       "fraction, for its tensor cores (default fp32)",
       [](Options& o, const std::string& v) {
         o.precision = choice<Precision>(
             "precision", v,
             {{"fp32", Precision::fp32}, {"tf32", Precision::tf32}, {"bf16", Precision::bf16}});
       }},
      {"communicator", "auto|tcp|nccl",
       "how gradients go from rank to rank: tcp, through the hosts; nccl, from GPU to GPU, by a "
       "libnccl.so.2\n"
       "that the loader finds; auto: nccl where it can be, with a note where it cannot (default auto)",
       [](Options& o, const std::string& v) {
         o.transport = choice<Transport>(
             "communicator", v,
             {{"auto", Transport::automatic}, {"tcp", Transport::tcp}, {"nccl", Transport::nccl}});
       }},
      {"threads", "N",
       "CPU threads (default: all CPUs that this process may use); results are the same for any N",
       [](Options& o, const std::string& v) { o.threads = number<unsigned>("threads", v, 1, 1024); }},
      {"launch", "auto|single",
       "auto: rank and number of ranks as the environment says (torchrun, operators, mpirun); single: alone\n"
       "(default auto)",
       [](Options& o, const std::string& v) {
         o.single = choice<bool>("launch", v, {{"auto", false}, {"single", true}});
       }},
      {"fast", nullptr,
       "sum gradients around a ring: any number of ranks, but other last bits with another number; else up\n"
       "to 8 ranks give the same bits as one",
       [](Options& o, const std::string&) { o.fast = true; }},
      {"meeting-timeout", "SECONDS", "how long ranks look for each other (default 600)",
       [](Options& o, const std::string& v) {
         o.meeting_timeout = number<uint32_t>("meeting-timeout", v, 1, 86400);
       }},
      {"stall-timeout", "SECONDS",
       "give up, to be started again, when another rank lets this one wait so long; 0: wait for it (default)",
       [](Options& o, const std::string& v) {
         o.stall_timeout = number<uint32_t>("stall-timeout", v, 0, 86400);
       }},
      {"checkpoint-dir", "DIR", "keep checkpoints there, and resume from the newest (default: none)",
       [](Options& o, const std::string& v) { o.checkpoint_dir = v; }},
      {"checkpoint-every", "N", "steps between checkpoints; 0: at the end and on SIGTERM only (default 100)",
       [](Options& o, const std::string& v) {
         o.checkpoint_every = number<uint64_t>("checkpoint-every", v, 0, kMany);
       }},
      {"metrics", "FILE", "append JSON lines to FILE; - is stdout (default: none)",
       [](Options& o, const std::string& v) { o.metrics = v; }},
      {"progress-every", "SECONDS", "how often the metrics report speed and progress (default 10)",
       [](Options& o, const std::string& v) {
         o.progress_every = number<uint32_t>("progress-every", v, 1, 86400);
       }},
      {"help", nullptr, "show this and exit", [](Options& o, const std::string&) { o.help = true; }},
      {"version", nullptr, "show the version and exit",
       [](Options& o, const std::string&) { o.version = true; }},
  };
  return table;
}

}  // namespace trainer
