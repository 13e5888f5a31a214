#pragma once

#include "launch/launch.h"
#include "launch/variables.h"

/// One rule for each launcher. All throw Error for missing or contradictory values.
namespace trainer {

/// The rule for Open MPI's mpirun: OMPI_COMM_WORLD_{RANK,SIZE,LOCAL_RANK,LOCAL_SIZE}. These do not say where
/// rank 0 is. It is at MASTER_ADDR. Without this variable, it is on this host if all ranks are here,
/// otherwise on the first host in the MPI operator's hostfile.
Launch launched_by_mpirun(const Variables& variables);

/// The rule for torchrun's processes: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
/// MASTER_PORT. This program sets the same variables for the local ranks that it starts; those of an elastic
/// job know only their local rank.
Launch launched_by_torchrun(const Variables& variables);

/// The rule for the arguments of torchrun that the training operator (PyTorchJob, TrainJob) and kml's
/// templates set as PET_*: the number of nodes and of processes on each, this node's number, and the address
/// of the first one. torchrun itself is not used: the process is the node's only rank, or starts its ranks.
Launch launched_by_operator(const Variables& variables);

/// The rule for plain variables: RANK (an Indexed Job's JOB_COMPLETION_INDEX), WORLD_SIZE, MASTER_ADDR and
/// MASTER_PORT.
Launch launched_by_plain_variables(const Variables& variables);

/// Used by several rules: sets the address of rank 0 from MASTER_ADDR and MASTER_PORT, or from PET_*, and the
/// attempt from KML_ATTEMPT.
void find_master(const Variables& variables, Launch& launch);

constexpr uint16_t kDefaultPort = 29500;  ///< torchrun's default

}  // namespace trainer
