#include "launcher/open_mpi_job.h"

#include <gtest/gtest.h>

#include <set>

namespace pilum::launcher {
namespace {

// Linux gives numbers up to 2^22. With the process's own, four ranks of a job did not find each other from 32768 on.
TEST(OpenMpiJob, HasANumberOfItsOwnWithoutBit15) {
  std::set<std::uint32_t> numbers;
  for (std::uint32_t process = 0; process <= 1U << 22; process += process < 100'000 ? 1 : 1023) {
    const std::uint32_t number = open_mpi_job_number(process);
    EXPECT_EQ(number & 0x8000U, 0U) << process;
    EXPECT_TRUE(numbers.insert(number).second) << process;
  }
}

TEST(OpenMpiJob, IsNumberedAsItsProcessWhereThatIsSmall) {
  EXPECT_EQ(open_mpi_job_number(32767), 32767U);
  EXPECT_EQ(open_mpi_job_number(32768), 65536U);
  EXPECT_EQ(open_mpi_job_number(32991), 65759U);
}

}  // namespace
}  // namespace pilum::launcher
