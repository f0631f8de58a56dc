#pragma once

namespace pilum::comm {

// Before MPI_Init: silences what does not concern users. What they have set themselves stands.
void choose_mpi_settings();

}  // namespace pilum::comm
