// What goes between the program and its arrays: CUDA streams on emulated GPUs, and DLPack's tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pilum/pilum.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::test {
namespace {

namespace np = pilum::numeric;
using np::slice;
using testing::HasSubstr;

constexpr std::int64_t kCells = 40;

// A rank's program: memory on a GPU, and a stream that works on it whenever it likes.
struct GpuProgram {
  explicit GpuProgram(std::uint64_t seed)
      : gpu(fakes::make_emulated_gpu(9, seed, 1 << 20)),
        stream(fakes::make_emulated_program_stream(seed)),
        cells(reinterpret_cast<double*>(gpu->allocate(kCells * sizeof(double)))) {}
  void each(const std::function<void(double&, std::int64_t)>& change) {
    stream->issue([this, change] {
      for (std::int64_t i = 0; i < kCells; ++i) change(cells[i], i);
    });
  }
  std::unique_ptr<fakes::EmulatedGpu> gpu;
  std::unique_ptr<fakes::EmulatedProgramStream> stream;
  double* cells;
};

// Each hand-over is by events alone; in any order that they allow, the values are those of the program's order.
void hand_over(const fakes::SimulatedRanks& machine) {
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
    GpuProgram program(machine.seed * 10 + static_cast<std::uint64_t>(session.rank()));
    const np::OnStream stream{program.stream.get()};
    const std::int64_t lo = session.rank() * kCells;
    std::vector<double> seen(kCells), wanted;
    program.each([lo](double& cell, std::int64_t i) { cell = static_cast<double>(lo + i); });
    {
      auto line = np::from_local(program.cells, {}, Box({lo}, {lo + kCells}), {machine.ranks * kCells},
                                 {.memory = np::MemoryKind::Cuda, .stream = stream});
      line *= 2.0;
      {
        const np::Local local = line.local(np::Access::Read, stream);
        EXPECT_EQ(local[0].memory(), np::MemoryKind::Cuda);
        EXPECT_EQ(local[0].data(), program.cells);
        program.each([&seen](double& cell, std::int64_t i) { seen[static_cast<std::size_t>(i)] = cell; });
      }
      line += 1.0;
      {
        const np::Local local = line.local(np::Access::Write, stream);
        program.each([](double& cell, std::int64_t) { cell *= 10.0; });
      }
      line -= 1.0;
      // Over the edges of blocks too.
      auto inner = line(slice(1, -1));
      inner[np::all] = line(slice(0, -2)) + line(slice(2, {}));
    }
    session.wait();
    program.stream->finish();
    const std::int64_t n = machine.ranks * kCells;
    const auto old = [](std::int64_t i) { return (2.0 * static_cast<double>(i) + 1.0) * 10.0 - 1.0; };
    for (std::int64_t i = lo; i < lo + kCells; ++i) {
      ASSERT_EQ(seen[static_cast<std::size_t>(i - lo)], 2.0 * static_cast<double>(i)) << "seed " << machine.seed;
      ASSERT_EQ(program.cells[i - lo], i == 0 || i == n - 1 ? old(i) : old(i - 1) + old(i + 1))
          << "seed " << machine.seed;
    }
  });
}

TEST(HandOver, StreamsOfTheProgramAndOursWaitForEachOther) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    hand_over({.ranks = seed % 3 == 0 ? 2 : 1, .split_bytes = 1, .seed = seed, .gpus = true});
}

// Another library's tensor.
struct Foreign {
  std::vector<double> cells = std::vector<double>(12, 1.0);
  std::int64_t shape[2] = {3, 4};
  dlpack::ManagedTensor tensor;
  int deleted = 0;
  Foreign() {
    tensor.manager = this;
    tensor.deleter = [](dlpack::ManagedTensor* self) { ++static_cast<Foreign*>(self->manager)->deleted; };
    tensor.tensor.data = cells.data();
    tensor.tensor.ndim = 2;
    tensor.tensor.shape = shape;
  }
};

void alone(const std::function<void(scheduler::Session&)>& program) {
  fakes::run_on_simulated_ranks({.ranks = 1}, program);
}

TEST(DLPack, ATensorIsAnArrayInPlaceUntilItIsUsedNoMore) {
  alone([](scheduler::Session& session) {
    Foreign foreign;
    {
      auto array = np::from_dlpack(&foreign.tensor);
      EXPECT_EQ(array.shape(), (Shape{3, 4}));
      array += 2.0;
      EXPECT_EQ(np::sum(array).item<double>(), 36.0);
    }
    EXPECT_EQ(foreign.deleted, 0);
    session.wait();
    EXPECT_EQ(foreign.deleted, 1);
    EXPECT_EQ(foreign.cells, std::vector<double>(12, 3.0));
  });
}

TEST(DLPack, StridesOffsetsAndDTypesAreTaken) {
  Foreign foreign;  // is given back at the session's end
  std::vector<std::int32_t> cells(20, 7);
  std::int64_t strides[2] = {1, 5};
  alone([&](scheduler::Session& session) {
    foreign.tensor.tensor.data = cells.data();
    foreign.tensor.tensor.byte_offset = 4;
    foreign.tensor.tensor.dtype = {dlpack::kInt, 32, 1};
    foreign.tensor.tensor.strides = strides;
    auto array = np::from_dlpack(&foreign.tensor);
    EXPECT_EQ(array.dtype(), np::int32);
    array(1, 2) = 9;
    session.wait();
    EXPECT_EQ(cells[1 + 1 + 2 * 5], 9);
    EXPECT_EQ(std::count(cells.begin(), cells.end(), 7), 19);
  });
}

TEST(DLPack, WhatIsExportedHoldsTheArrayUntilItIsDeleted) {
  alone([](scheduler::Session&) {
    auto array = np::zeros({6, 8});
    auto view = array(slice(1, 5), slice(2, 8));
    dlpack::ManagedTensor* const managed = view.local(np::Access::Write).to_dlpack();
    const dlpack::Tensor& tensor = managed->tensor;
    EXPECT_EQ(managed->version.major, 1u);
    EXPECT_EQ(managed->flags, 0u);
    EXPECT_EQ(tensor.ndim, 2);
    EXPECT_EQ(tensor.shape[0], 4);
    EXPECT_EQ(tensor.shape[1], 6);
    EXPECT_EQ(tensor.strides[1], 1);
    EXPECT_EQ(tensor.device.type, dlpack::kCpu);
    EXPECT_EQ(tensor.dtype.code, dlpack::kFloat);
    EXPECT_EQ(tensor.dtype.bits, 64);
    EXPECT_EQ(tensor.dtype.lanes, 1);
    static_cast<double*>(tensor.data)[2 * tensor.strides[0] + 3] = 5.0;
    EXPECT_THROW(array += 1.0, pilum::RuntimeError);
    managed->deleter(managed);
    EXPECT_EQ(array(3, 5).item<double>(), 5.0);
    EXPECT_EQ(np::sum(array).item<double>(), 5.0);
    dlpack::ManagedTensor* const read = array.local().to_dlpack();
    EXPECT_EQ(read->flags, dlpack::kReadOnly);
    read->deleter(read);
  });
}

// Ours, taken as another's.
TEST(DLPack, ThereAndBackAgain) {
  alone([](scheduler::Session& session) {
    auto array = np::arange(24.0).reshape({4, 6});
    {
      auto other = np::from_dlpack(array.local(np::Access::Write).to_dlpack());
      other *= 3.0;
    }
    session.wait();
    EXPECT_EQ(np::sum(array).item<double>(), 3.0 * 276);
  });
}

TEST(DLPack, OnAGpuTheTensorSaysSo) {
  fakes::run_on_simulated_ranks({.ranks = 1, .gpus = true}, [](scheduler::Session&) {
    auto array = np::ones({50});
    dlpack::ManagedTensor* const managed = array.local().to_dlpack();
    EXPECT_EQ(managed->tensor.device.type, dlpack::kCuda);
    EXPECT_EQ(managed->tensor.device.id, 0);
    EXPECT_EQ(static_cast<double*>(managed->tensor.data)[49], 1.0);
    managed->deleter(managed);
  });
}

std::string error_of(Foreign& foreign) {
  try {
    (void)np::from_dlpack(&foreign.tensor);
  } catch (const pilum::Error& error) {
    EXPECT_EQ(foreign.deleted, 0);  // it stays its owner's
    return error.what();
  }
  return "none";
}

TEST(DLPackErrors, TensorsThatCannotBeArraysAreRefused) {
  alone([](scheduler::Session&) {
    Foreign old, read, device, type, null;
    old.tensor.version = {0, 8};
    EXPECT_THAT(error_of(old), HasSubstr("[from_dlpack] its tensor is of DLPack 0.8, and Pilum takes versions 1.x"));
    read.tensor.flags = dlpack::kReadOnly;
    EXPECT_THAT(error_of(read), HasSubstr("its tensor is read-only"));
    device.tensor.tensor.device.type = 4;
    EXPECT_THAT(error_of(device), HasSubstr("on a device of DLPack's type 4"));
    type.tensor.tensor.dtype = {dlpack::kFloat, 8, 1};
    EXPECT_THAT(error_of(type), HasSubstr("cells of DLPack's type 2 with 8 bits and 1 lanes"));
    null.tensor.tensor.data = nullptr;
    EXPECT_THAT(error_of(null), HasSubstr("its pointer is null"));
  });
}

// The layout that DLPack 1 fixes, by numbers of its own.
TEST(DLPack, TheStructsAreThoseOfTheStandard) {
  EXPECT_EQ(sizeof(dlpack::Version), 8u);
  EXPECT_EQ(sizeof(dlpack::Device), 8u);
  EXPECT_EQ(sizeof(dlpack::DataType), 4u);
  EXPECT_EQ(offsetof(dlpack::DataType, lanes), 2u);
  EXPECT_EQ(offsetof(dlpack::Tensor, data), 0u);
  EXPECT_EQ(offsetof(dlpack::Tensor, device), 8u);
  EXPECT_EQ(offsetof(dlpack::Tensor, ndim), 16u);
  EXPECT_EQ(offsetof(dlpack::Tensor, dtype), 20u);
  EXPECT_EQ(offsetof(dlpack::Tensor, shape), 24u);
  EXPECT_EQ(offsetof(dlpack::Tensor, strides), 32u);
  EXPECT_EQ(offsetof(dlpack::Tensor, byte_offset), 40u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, manager), 8u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, deleter), 16u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, flags), 24u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, tensor), 32u);
  EXPECT_EQ(sizeof(dlpack::ManagedTensor), 80u);
}

}  // namespace
}  // namespace pilum::test
