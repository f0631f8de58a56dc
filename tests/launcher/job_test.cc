#include "launcher/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A node of 8 cores in two domains, with mpirun and without srun.
HostEnvironment node() {
  HostEnvironment host;
  host.topology.host_name = "node";
  host.topology.domains = {{0, {0, 1, 2, 3}, 1}, {1, {4, 5, 6, 7}, 1}};
  host.mpirun = "mpirun";
  return host;
}

HostEnvironment slurm_node() {
  HostEnvironment host = node();
  host.srun = true;
  host.allocated_cpus = 8;
  return host;
}

Options ranks(int nodes, int ranks_per_node) {
  Options options;
  options.nodes = nodes;
  options.ranks_per_node = ranks_per_node;
  options.application = {"./app", "-n", "a b"};
  return options;
}

std::string line(const Options& options, const HostEnvironment& host, const Config& config = {}) {
  return command_line(make_job(options, config, host));
}

TEST(Job, OneRankNeedsNoLauncherAndTakesAllCores) {
  EXPECT_EQ(line(ranks(1, 1), node()), "PILUM_CPUS=8 ./app -n 'a b'");
}

TEST(Job, RanksShareTheCoresOfTheirNode) {
  EXPECT_EQ(line(ranks(1, 3), node()),
            "PILUM_CPUS=2 mpirun -n 3 --map-by ppr:3:node --bind-to none -x PILUM_CPUS ./app -n 'a b'");
}

TEST(Job, OnOneNodePlaunchStartsRanksItself) {
  HostEnvironment host = node();
  host.own = "/bin/plaunch";
  EXPECT_EQ(line(ranks(1, 3), host), "PILUM_CPUS=2 /bin/plaunch --local-ranks 3 ./app -n 'a b'");
  EXPECT_EQ(make_job(ranks(2, 1), {}, host).launcher, Launcher::Mpirun);
  Options extra = ranks(1, 3);
  extra.launcher_extra = {"--tag-output"};
  EXPECT_EQ(make_job(extra, {}, host).launcher, Launcher::Mpirun);
}

TEST(Job, RanksThatShareCoresYieldThemInMpi) {
  HostEnvironment host = node();
  host.own = "/bin/plaunch";
  Config config;
  config.oversubscribe = true;
  EXPECT_EQ(make_job(ranks(1, 8), config, host).libraries, Variables());
  EXPECT_EQ(make_job(ranks(1, 9), config, host).libraries, (Variables{{"OMPI_MCA_mpi_oversubscribe", "1"}}));
}

TEST(Job, TheInterfaceReachesMpiItsLauncherAndUcx) {
  Options options = ranks(2, 2);
  options.interface = "lo";
  HostEnvironment host = node();
  host.one_interface = "/lib/one.so";
  const Job job = make_job(options, {}, host);
  EXPECT_TRUE(job.remarks.empty());
  EXPECT_EQ(
      command_line(job),
      "LD_PRELOAD=/lib/one.so OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo PLAUNCH_INTERFACE=lo "
      "UCX_NET_DEVICES=lo mpirun -n 4 --map-by ppr:2:node --bind-to none -x UCX_NET_DEVICES --mca orte_launch_agent "
      "'env LD_PRELOAD=/lib/one.so PLAUNCH_INTERFACE=lo orted' ./app -n 'a b'");
}

TEST(Job, AnInterfaceThatIsNotThereIsRefusedWithThoseThatAre) {
  Options options = ranks(2, 2);
  options.interface = "nowhere0";
  EXPECT_THAT([&] { make_job(options, {}, node()); },
              ThrowsMessage<ValueError>(AllOf(HasSubstr("--interface nowhere0"), HasSubstr("lo"))));
}

TEST(Job, SeveralNodesWithoutAnInterfaceAreWarnedAbout) {
  const Job job = make_job(ranks(2, 1), {}, node());
  EXPECT_THAT(job.remarks, ElementsAre(AllOf(HasSubstr("every network"), HasSubstr("--interface"))));
  EXPECT_TRUE(make_job(ranks(1, 2), {}, node()).remarks.empty());
}

TEST(Job, WhyManyRanksOnFewCoresStartSlowlyIsSaid) {
  for (const bool is_own : {false, true}) {
    const auto remarks = [&](int ranks_per_node) {
      HostEnvironment host = node();
      if (is_own) host.own = "/bin/plaunch";
      Config config;
      config.oversubscribe = true;
      return make_job(ranks(1, ranks_per_node), config, host).remarks;
    };
    EXPECT_TRUE(remarks(256).empty());
    EXPECT_THAT(remarks(257), ElementsAre(HasSubstr("257 ranks share 8 cores: Open MPI's start")));
  }
}

TEST(Job, OnOtherNodesRanksFindTheirOwnCores) {
  EXPECT_EQ(line(ranks(2, 2), node()), "mpirun -n 4 --map-by ppr:2:node --bind-to none ./app -n 'a b'");
}

TEST(Job, VariablesOfTheUserGoToOtherNodesToo) {
  HostEnvironment host = node();
  host.variables = {{"PILUM_CACHE_DIR", "/tmp/a b"}};
  EXPECT_EQ(
      line(ranks(2, 1), host),
      "PILUM_CACHE_DIR='/tmp/a b' mpirun -n 2 --map-by ppr:1:node --bind-to none -x PILUM_CACHE_DIR ./app -n 'a b'");
}

TEST(Job, RootIsAllowedAndTold) {
  HostEnvironment host = node();
  host.root = true;
  const Job job = make_job(ranks(1, 2), {}, host);
  EXPECT_THAT(job.launcher_command, testing::Contains("--allow-run-as-root"));
  EXPECT_THAT(job.remarks, ElementsAre("running as root: passing --allow-run-as-root"));
  EXPECT_TRUE(make_job(ranks(1, 1), {}, host).remarks.empty());
}

TEST(Job, TheLaunchersNameIsTheOneThatWasFound) {
  HostEnvironment host = node();
  host.mpirun = "mpirun.openmpi";
  EXPECT_EQ(make_job(ranks(1, 2), {}, host).launcher_command[0], "mpirun.openmpi");
}

TEST(Job, MoreCoresThanThereAreAreRefusedWithBothNumbers) {
  Options options = ranks(1, 3);
  options.cpus = 3;
  EXPECT_THAT(
      [&] { make_job(options, {}, node()); },
      ThrowsMessage<ValueError>(AllOf(HasSubstr("--cpus 3"), HasSubstr("9 cores are needed"), HasSubstr("allows 8"),
                                      HasSubstr("Use --cpus 2"), HasSubstr("--oversubscribe"))));
}

TEST(Job, CoresFromTheVariableAreCheckedToo) {
  Config config;
  config.cpus = 9;
  EXPECT_THAT([&] { make_job(ranks(1, 1), config, node()); },
              ThrowsMessage<ValueError>(HasSubstr("9 cores are needed")));
}

TEST(Job, MoreRanksThanCoresNeedOversubscribe) {
  Config config;
  EXPECT_THAT([&] { make_job(ranks(1, 9), config, node()); }, ThrowsMessage<ValueError>(HasSubstr("fewer ranks")));
  config.oversubscribe = true;
  const Job job = make_job(ranks(1, 9), config, node());
  EXPECT_EQ(job.cpus, 1);
  EXPECT_THAT(job.launcher_command, testing::Contains("--oversubscribe"));
}

TEST(Job, LauncherNoneStartsRanksOfThisNodeOnly) {
  Options options = ranks(2, 1);
  options.launcher = Launcher::None;
  EXPECT_THAT([&] { make_job(options, {}, node()); },
              ThrowsMessage<ValueError>(HasSubstr("--launcher none with 2 nodes")));
}

TEST(Job, LauncherNoneStartsOneRankOnlyWhereMpiKnowsNoOther) {
  Options options = ranks(1, 2);
  options.launcher = Launcher::None;
  EXPECT_THAT([&] { make_job(options, {}, node()); },
              ThrowsMessage<ValueError>(HasSubstr("--launcher none with 2 ranks")));
}

TEST(Job, WithoutMpirunSeveralRanksAreRefused) {
  HostEnvironment host = node();
  host.mpirun.reset();
  EXPECT_THAT([&] { make_job(ranks(1, 2), {}, host); }, ThrowsMessage<RuntimeError>(HasSubstr("openmpi-bin")));
  EXPECT_EQ(make_job(ranks(1, 1), {}, host).launcher, Launcher::None);
}

TEST(Job, TransportSelfIsForOneRank) {
  Config config;
  config.transport = "self";
  EXPECT_THAT([&] { make_job(ranks(2, 1), config, node()); },
              ThrowsMessage<ValueError>(HasSubstr("--transport self with 2 ranks")));
  EXPECT_EQ(make_job(ranks(1, 1), config, node()).ranks(), 1);
}

TEST(Job, SrunIsRefusedWhereThereIsNone) {
  Options options = ranks(2, 1);
  options.launcher = Launcher::Srun;
  EXPECT_THAT([&] { make_job(options, {}, node()); }, ThrowsMessage<RuntimeError>(HasSubstr("PATH has no srun")));
}

TEST(Job, ALineThatIsOnlyPrintedNeedsNoLauncherHere) {
  Options options = ranks(2, 1);
  options.launcher = Launcher::Srun;
  options.cpus = 2;
  options.dry_run = true;
  EXPECT_THAT(line(options, node()),
              HasSubstr("srun --mpi=pmix --nodes 2 --ntasks 2 --ntasks-per-node 1 --cpus-per-task 2"));

  HostEnvironment bare = node();
  bare.mpirun.reset();
  options.launcher = Launcher::Mpirun;
  EXPECT_THAT(line(options, bare), HasSubstr("mpirun -n 2 --map-by ppr:1:node"));
}

TEST(Job, SrunSharesTheAllocation) {
  Options options = ranks(2, 4);
  options.launcher = Launcher::Srun;
  EXPECT_EQ(line(options, slurm_node()),
            "PILUM_CPUS=2 srun --mpi=pmix --nodes 2 --ntasks 8 --ntasks-per-node 4 --cpus-per-task 2 --cpu-bind=none "
            "--kill-on-bad-exit=1 ./app -n 'a b'");
}

TEST(Job, SrunOutsideAnAllocationMustBeToldTheCores) {
  Options options = ranks(2, 4);
  options.launcher = Launcher::Srun;
  HostEnvironment host = slurm_node();
  host.allocated_cpus.reset();
  EXPECT_THAT([&] { make_job(options, {}, host); }, ThrowsMessage<ValueError>(HasSubstr("--cpus N")));
  options.cpus = 16;  // more than this login node has
  EXPECT_EQ(make_job(options, {}, host).cpus, 16);
}

TEST(Job, MoreWordsForTheLauncherStandBeforeTheApplication) {
  Options options = ranks(1, 2);
  options.launcher_extra = {"--host", "a:2"};
  EXPECT_THAT(line(options, node()), HasSubstr("--host a:2 ./app"));
}

}  // namespace
}  // namespace pilum::launcher
