#pragma once

#include "launch/launch.h"
#include "launch/variables.h"

/// One rule a launcher. Each throws Error for what lacks or contradicts itself.
namespace trainer {

/// Open MPI's mpirun: OMPI_COMM_WORLD_{RANK,SIZE,LOCAL_RANK,LOCAL_SIZE}. It says nowhere where rank 0 is:
/// MASTER_ADDR says it, or the MPI operator's file of hosts, or that all ranks are on this host.
Launch launched_by_mpirun(const Variables& variables);

/// torchrun's processes: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT. So does
/// this program start its own local ranks; those of an elastic job know their local rank alone.
Launch launched_by_torchrun(const Variables& variables);

/// The arguments of torchrun that the training operator (PyTorchJob, TrainJob) and kml's templates set as
/// PET_*: nodes, processes of each, this node's number, and where the first one is. There is no torchrun
/// here: the process is the node's only rank, or starts them.
Launch launched_by_operator(const Variables& variables);

/// RANK (an Indexed Job's JOB_COMPLETION_INDEX), WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
Launch launched_by_plain_variables(const Variables& variables);

/// What several rules share: where rank 0 is by MASTER_ADDR and MASTER_PORT, or the PET_ ones.
void find_master(const Variables& variables, Launch& launch);

constexpr uint16_t kDefaultPort = 29500;  ///< torchrun's

}  // namespace trainer
