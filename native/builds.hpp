// The builds of the kernel, one for each instruction set: choose one that this CPU can run.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "kernel.hpp"

extern const Kernel kernel_portable;
#if defined(GOOFSPIEL_X86)
extern const Kernel kernel_avx2;
extern const Kernel kernel_avx512;
#endif

// Those that this CPU can run, best first.
inline std::vector<const Kernel *> runnable() {
  std::vector<const Kernel *> found;
#if defined(GOOFSPIEL_X86)
  // Feature by feature, as in CMakeLists.txt: GCC 11 and Clang 17 know no levels such as x86-64-v3 here.
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx2 && avx512)
    found.push_back(&kernel_avx512);
  if (avx2)
    found.push_back(&kernel_avx2);
#endif
  found.push_back(&kernel_portable);
  return found;
}

inline const Kernel &kernel_named(const std::string &name) {
  for (const Kernel *kernel : runnable())
    if (name.empty() || name == kernel->name)
      return *kernel;
  throw std::invalid_argument("no kernel '" + name + "' runs on this CPU");
}
