#include "tests/stair/stair.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace pilum::test {
namespace {
namespace fs = std::filesystem;

struct Source {
  std::string file;
  std::vector<Include> includes;
};

// Every source file of the floors.
std::vector<Source> read_sources() {
  std::vector<Source> sources;
  for (const char* top : {"include", "runtime", "partitioner", "scheduler", "numeric", "launcher", "apps"}) {
    if (!fs::exists(fs::path(REPOSITORY) / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(REPOSITORY) / top)) {
      const std::string kind = entry.path().extension();
      if (kind != ".h" && kind != ".cc" && kind != ".cu" && kind != ".cpp" && kind != ".cuh" && kind != ".inc")
        continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      sources.push_back({fs::relative(entry.path(), REPOSITORY).string(), find_includes(text.str())});
    }
  }
  return sources;
}

TEST(Stair, NoFileIncludesAFloorAboveItOrAHeaderThatIsNotItsOwn) {
  const auto sources = read_sources();
  ASSERT_GT(sources.size(), 20u) << "the sources were not found";
  for (const Source& source : sources) {
    for (const Include& include : source.includes) {
      const std::string fault = find_fault(source.file, include);
      if (!fault.empty()) {
        ADD_FAILURE() << source.file << ":" << include.line << " includes " << include.path << ": " << fault;
      }
    }
  }
}

TEST(Stair, QuotedIncludesCountFromTheTopAndExist) {
  for (const Source& source : read_sources()) {
    for (const Include& include : source.includes) {
      if (!include.quoted) continue;
      const bool there = fs::exists(fs::path(REPOSITORY) / include.path) ||
                         fs::exists(fs::path(REPOSITORY) / "include" / include.path);
      EXPECT_TRUE(there) << source.file << ":" << include.line << " includes \"" << include.path << "\"";
    }
  }
}

std::string find_circle_between(std::string (*place_of)(const std::string&)) {
  std::map<std::string, std::set<std::string>> includes;
  for (const Source& source : read_sources()) {
    for (const Include& include : source.includes) {
      if (include.quoted && place_of(include.path) != place_of(source.file)) {
        includes[place_of(source.file)].insert(place_of(include.path));
      }
    }
  }
  std::string circle;
  for (const std::string& place : find_circle(includes)) circle += place + " -> ";
  return circle;
}

TEST(Stair, NoTwoFoldersIncludeOneAnother) {
  EXPECT_EQ(find_circle_between(folder_of), "");
}

TEST(Stair, NoTwoRoomsOfAFolderIncludeOneAnother) {
  EXPECT_EQ(find_circle_between(room_of), "");
}

// The rules themselves, by example.
bool allowed(const std::string& file, const std::string& path, bool quoted) {
  return find_fault(file, {path, quoted, 1}).empty();
}

TEST(StairRules, FloorsIncludeDownwards) {
  EXPECT_TRUE(allowed("scheduler/fuser.cc", "partitioner/region.h", true));
  EXPECT_TRUE(allowed("numeric/math.cc", "scheduler/record/store.h", true));
  EXPECT_TRUE(allowed("partitioner/region.h", "runtime/base/rect.h", true));
  EXPECT_TRUE(allowed("apps/jacobi.cc", "pilum/pilum.h", false));
  EXPECT_FALSE(allowed("partitioner/region.h", "scheduler/record/store.h", true));
  EXPECT_FALSE(allowed("runtime/base/rect.h", "partitioner/region.h", true));
  EXPECT_FALSE(allowed("scheduler/fuser.cc", "numeric/array.h", true));
  EXPECT_FALSE(allowed("apps/jacobi.cc", "numeric/array.h", true));
}

TEST(StairRules, LowerFloorsUseTheValueHeadersOnly) {
  EXPECT_TRUE(allowed("runtime/base/rect.h", "pilum/shape.h", true));
  EXPECT_TRUE(allowed("runtime/kernel/ir/kernel.h", "pilum/detail/task_form.h", true));
  EXPECT_FALSE(allowed("scheduler/fuser.cc", "pilum/array.h", true));
  EXPECT_FALSE(allowed("scheduler/fuser.cc", "pilum/detail/launch.h", true));
  EXPECT_TRUE(allowed("numeric/math.cc", "pilum/array.h", true));
}

TEST(StairRules, ProgramsIncludePagesForUsers) {
  EXPECT_TRUE(allowed("apps/jacobi.cc", "pilum/task.h", false));
  EXPECT_FALSE(allowed("apps/jacobi.cc", "pilum/detail/accessor.h", false));
  EXPECT_TRUE(allowed("include/pilum/task.h", "pilum/detail/accessor.h", true));
}

TEST(StairRules, TheLauncherSeesBaseAndMachine) {
  EXPECT_TRUE(allowed("launcher/job.h", "runtime/machine/machine.h", true));
  EXPECT_FALSE(allowed("launcher/job.h", "runtime/comm/communicator.h", true));
}

TEST(StairRules, PublicHeadersStandAlone) {
  EXPECT_TRUE(allowed("include/pilum/array.h", "vector", false));
  EXPECT_TRUE(allowed("include/pilum/array.h", "pilum/shape.h", true));
  EXPECT_FALSE(allowed("include/pilum/array.h", "runtime/base/rect.h", true));
  EXPECT_FALSE(allowed("include/pilum/array.h", "spdlog/spdlog.h", false));
  EXPECT_TRUE(allowed("include/pilum/c_types.h", "stdint.h", false));
  EXPECT_FALSE(allowed("include/pilum/array.h", "stdint.h", false));
  EXPECT_FALSE(allowed("include/pilum/c.h", "mylib.h", false));
}

TEST(StairRules, HeadersOfOthersHaveOneHome) {
  EXPECT_TRUE(allowed("runtime/comm/mpi/mpi_communicator.cc", "mpi.h", false));
  EXPECT_FALSE(allowed("runtime/comm/self.cc", "mpi.h", false));
  EXPECT_TRUE(allowed("apps/metg_mpi.cc", "mpi.h", false));
  EXPECT_TRUE(allowed("include/pilum/mpi.h", "mpi.h", false));
  EXPECT_FALSE(allowed("include/pilum/runtime.h", "mpi.h", false));
  EXPECT_FALSE(allowed("include/pilum/mpi.h", "ucp/api/ucp.h", false));
  EXPECT_FALSE(allowed("apps/task_bench/measure.cc", "mpi.h", false));
  EXPECT_TRUE(allowed("runtime/comm/ucx/ucx_communicator.cc", "ucp/api/ucp.h", false));
  EXPECT_FALSE(allowed("runtime/comm/mpi/mpi_communicator.cc", "ucp/api/ucp.h", false));
  EXPECT_TRUE(allowed("runtime/machine/topology.cc", "hwloc.h", false));
  EXPECT_FALSE(allowed("launcher/job.cc", "hwloc.h", false));
  EXPECT_TRUE(allowed("runtime/jit/host_clang.cc", "clang/Frontend/CompilerInstance.h", false));
  EXPECT_FALSE(allowed("runtime/jit/jit.cc", "llvm/IR/Module.h", false));
  EXPECT_TRUE(allowed("numeric/linalg/cuda_gemm.cc", "cublas_v2.h", false));
  EXPECT_FALSE(allowed("numeric/linalg/gemm.cc", "cuda_runtime.h", false));
}

TEST(StairRules, IncludesAreFoundWhereTheyStand) {
  const auto found =
      find_includes("#pragma once\n#include <vector>\n // #include \"no.h\"\n  #  include \"a/b.h\"  // why\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "vector");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].path, "a/b.h");
  EXPECT_EQ(found[1].line, 4);
}

TEST(StairRules, AFileIsOfTheFolderThatItLiesIn) {
  EXPECT_EQ(folder_of("scheduler/plan/planner.h"), "scheduler");
  EXPECT_EQ(room_of("scheduler/plan/planner.h"), "scheduler/plan");
  EXPECT_EQ(room_of("runtime/base/rect.h"), folder_of("runtime/base/rect.h"));
  EXPECT_EQ(room_of("include/pilum/shape.h"), "pilum");
  EXPECT_EQ(room_of("include/pilum/detail/launch.h"), "pilum");
}

TEST(StairRules, ACircleIsFound) {
  EXPECT_TRUE(find_circle({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}).empty());
  EXPECT_EQ(find_circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), (std::vector<std::string>{"b", "c"}));
}

}  // namespace
}  // namespace pilum::test
