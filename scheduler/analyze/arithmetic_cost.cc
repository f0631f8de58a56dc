#include "scheduler/analyze/arithmetic_cost.h"

#include <algorithm>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

// Divisions are long on cores' vectors, and some ten instructions on GPUs.
double arithmetic_of(kernel::Op op, const machine::Machine& machine) {
  using kernel::Op;
  switch (op) {
    case Op::Divide:
    case Op::Sqrt:
    case Op::Remainder:
    case Op::FloorDivide:
    case Op::Fmod: return machine.kind == machine::ProcessorKind::Gpu ? 12 : 24;
    case Op::Gcd:
    case Op::Lcm:
    case Op::Power: return 200;
    case Op::Exp:
    case Op::Log:
    case Op::Exp2:
    case Op::Log2: return 40;
    default: break;
  }
  const bool is_elementary =
      (op >= Op::Exp && op <= Op::LogGamma) || (op >= Op::Hypot && op <= Op::LogAddExp2) || op >= Op::PhiloxLow;
  return is_elementary ? 100 : 1;
}

double arithmetic_of(const kernel::Kernel& kernel, const machine::Machine& machine) {
  double additions = 0;
  for (const kernel::Node& node : kernel.nodes) additions += arithmetic_of(node.op, machine);
  return additions;
}

// In additions; a load is one from the first-level cache.
double cost_of(const std::vector<Operation>& operations, const machine::Machine& machine) {
  const bool is_gpu = machine.kind == machine::ProcessorKind::Gpu;
  double cost = 0;
  for (const Operation& operation : operations) {
    cost += arithmetic_of(operation.elementwise()->op, machine);
    for_each_input(operation, [&](std::size_t, const View& view) {
      const bool is_new = std::any_of(operations.begin(), operations.end(),
                                      [&](const Operation& other) { return other.output()->store == view.store; });
      if (!is_new) cost += is_gpu ? 3 : 1.5;
    });
  }
  return cost;
}

// On two busy cores a step of shallow water (4096², three fluxes) takes 62 ms with none of them computed again, 47 with
// two of them (gain 30) and 22 with all (gain 60), where a division of AVX-512 has 24 times an addition's throughput.
// An H200 makes some 28 additions of float64 while its memory gives one.
double gain_of_cell(const machine::Machine& machine) {
  return machine.kind == machine::ProcessorKind::Gpu ? 40 : 60;
}

}  // namespace pilum::scheduler
