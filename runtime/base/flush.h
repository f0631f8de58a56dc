// What a program has printed and its buffers still hold.
#pragma once

namespace pilum {

// Writes it out: C++'s streams and C's. For a process that ends without running its destructors.
void flush_output() noexcept;

}  // namespace pilum
