// What is placed, section by section, and behind it a slot for each function of a library:
//
//   | .text | .rodata… | address, 8 bytes | jmp *address | …
//
// A library may lie more than 2 GiB away, where a call in the code does not reach; the slot is near.
// Relocations: System V ABI, AMD64 supplement, table 4.10.
#include "runtime/jit/object_image.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <elf.h>
#include <sys/mman.h>

#include "pilum/error.h"

namespace pilum::jit {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};
constexpr std::size_t kSlot = 16;
constexpr unsigned char kJump[] = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff};  // jmp *-14(%rip): the slot's start
constexpr std::size_t kJumpOffset = 8;

#if defined(__x86_64__)
constexpr bool kKnownMachine = true;
#else
constexpr bool kKnownMachine = false;
#endif

// What kernels call: `power`, `remainder`, fma where the machine has none, and what compilers make of copies.
void* library_function(std::string_view name) {
  using Float64 = double (*)(double, double);
  using Float32 = float (*)(float, float);
  using Fma64 = double (*)(double, double, double);
  using Fma32 = float (*)(float, float, float);
  if (name == "pow") return reinterpret_cast<void*>(static_cast<Float64>(::pow));
  if (name == "powf") return reinterpret_cast<void*>(static_cast<Float32>(::powf));
  if (name == "fmod") return reinterpret_cast<void*>(static_cast<Float64>(::fmod));
  if (name == "fmodf") return reinterpret_cast<void*>(static_cast<Float32>(::fmodf));
  if (name == "fma") return reinterpret_cast<void*>(static_cast<Fma64>(::fma));
  if (name == "fmaf") return reinterpret_cast<void*>(static_cast<Fma32>(::fmaf));
  if (name == "memcpy") return reinterpret_cast<void*>(&std::memcpy);
  if (name == "memmove") return reinterpret_cast<void*>(&std::memmove);
  if (name == "memset") return reinterpret_cast<void*>(&std::memset);
  return nullptr;
}

// `count` values at a place in the file; nothing where that leaves the file.
template <class T>
std::optional<std::vector<T>> read_table(std::string_view file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return std::nullopt;
  std::vector<T> table(bytes / sizeof(T));
  if (!table.empty()) std::memcpy(table.data(), file.data() + offset, table.size() * sizeof(T));
  return table;
}

std::string_view name_at(std::string_view strings, std::uint32_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

struct Fixup {
  std::size_t section = 0;
  Elf64_Rela relocation{};
};

// An object taken apart, and where its parts go.
struct Layout {
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::string_view symbol_names;
  std::vector<Fixup> fixups;
  std::vector<std::size_t> places;  // by section
  std::vector<std::size_t> slots;   // by symbol
  std::size_t size = 0;

  std::string_view name(const Elf64_Sym& symbol) const { return name_at(symbol_names, symbol.st_name); }
  // In the image; kNowhere for a library's.
  std::size_t place(const Elf64_Sym& symbol) const {
    const bool here = symbol.st_shndx < places.size() && places[symbol.st_shndx] != kNowhere &&
                      symbol.st_value <= sections[symbol.st_shndx].sh_size;
    return here ? places[symbol.st_shndx] + symbol.st_value : kNowhere;
  }
};

bool read_tables(std::string_view object, Layout& layout) {
  const auto headers = read_table<Elf64_Ehdr>(object, 0, sizeof(Elf64_Ehdr));
  if (!headers || !is_relocatable(object)) return false;
  const Elf64_Ehdr& header = headers->front();
  if (header.e_machine != EM_X86_64 || header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  auto sections = read_table<Elf64_Shdr>(object, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
  if (!sections) return false;
  layout.sections = std::move(*sections);
  for (const Elf64_Shdr& section : layout.sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= layout.sections.size()) continue;
    auto symbols = read_table<Elf64_Sym>(object, section.sh_offset, section.sh_size);
    const Elf64_Shdr& names = layout.sections[section.sh_link];
    if (!symbols || !read_table<char>(object, names.sh_offset, names.sh_size)) return false;
    layout.symbols = std::move(*symbols);
    layout.symbol_names = object.substr(names.sh_offset, names.sh_size);
  }
  return true;
}

bool place_sections(std::string_view object, Layout& layout) {
  for (const Elf64_Shdr& section : layout.sections) {
    layout.places.push_back(kNowhere);
    if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0 || section.sh_type == SHT_X86_64_UNWIND) continue;
    if (section.sh_type != SHT_PROGBITS || section.sh_flags & (SHF_WRITE | SHF_TLS)) return false;
    if (section.sh_offset > object.size() || section.sh_size > object.size() - section.sh_offset) return false;
    const std::size_t alignment = std::max<std::size_t>(section.sh_addralign, 1);
    if (alignment > 4096 || (alignment & (alignment - 1))) return false;
    layout.size = (layout.size + alignment - 1) & ~(alignment - 1);
    layout.places.back() = layout.size;
    layout.size += section.sh_size;
  }
  layout.size = (layout.size + kSlot - 1) & ~(kSlot - 1);
  return true;
}

bool needs_slot(std::uint64_t type) {
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

// Whether the relocation is known; gives its symbol a slot if it needs one.
bool plan_fixup(Layout& layout, std::size_t section, const Elf64_Rela& relocation) {
  const std::uint64_t type = ELF64_R_TYPE(relocation.r_info), index = ELF64_R_SYM(relocation.r_info);
  if (!needs_slot(type) && type != R_X86_64_PC32 && type != R_X86_64_PLT32 && type != R_X86_64_64) return false;
  const std::size_t width = type == R_X86_64_64 ? 8 : 4;
  if (index >= layout.symbols.size() || layout.sections[section].sh_size < width ||
      relocation.r_offset > layout.sections[section].sh_size - width) {
    return false;
  }
  const Elf64_Sym& symbol = layout.symbols[index];
  const bool external = symbol.st_shndx == SHN_UNDEF;
  if (external ? !library_function(layout.name(symbol)) : layout.place(symbol) == kNowhere) return false;
  if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS || ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) return false;
  if ((external || needs_slot(type)) && layout.slots[index] == kNowhere) {
    layout.slots[index] = layout.size;
    layout.size += kSlot;
  }
  layout.fixups.push_back({section, relocation});
  return true;
}

bool plan_fixups(std::string_view object, Layout& layout) {
  layout.slots.assign(layout.symbols.size(), kNowhere);
  for (const Elf64_Shdr& section : layout.sections) {
    if (section.sh_type != SHT_RELA && section.sh_type != SHT_REL) continue;
    if (section.sh_info >= layout.places.size() || layout.places[section.sh_info] == kNowhere) continue;
    const auto relocations = read_table<Elf64_Rela>(object, section.sh_offset, section.sh_size);
    if (!relocations || section.sh_type != SHT_RELA) return false;
    for (const Elf64_Rela& relocation : *relocations) {
      if (!plan_fixup(layout, section.sh_info, relocation)) return false;
    }
  }
  return true;
}

std::optional<Layout> lay_out(std::string_view object) {
  Layout layout;
  if (!kKnownMachine || !read_tables(object, layout) || !place_sections(object, layout) || !plan_fixups(object, layout))
    return std::nullopt;
  return layout;
}

std::uint64_t address_of(const Layout& layout, const char* memory, const Elf64_Sym& symbol) {
  const std::size_t place = layout.place(symbol);
  return reinterpret_cast<std::uint64_t>(place == kNowhere ? library_function(layout.name(symbol)) : memory + place);
}

void fill_slots(const Layout& layout, char* memory) {
  for (std::size_t i = 0; i < layout.slots.size(); ++i) {
    if (layout.slots[i] == kNowhere) continue;
    const std::uint64_t address = address_of(layout, memory, layout.symbols[i]);
    std::memcpy(memory + layout.slots[i], &address, sizeof address);
    std::memcpy(memory + layout.slots[i] + kJumpOffset, kJump, sizeof kJump);
  }
}

void apply(const Layout& layout, const Fixup& fixup, char* memory) {
  const std::uint64_t type = ELF64_R_TYPE(fixup.relocation.r_info), index = ELF64_R_SYM(fixup.relocation.r_info);
  char* const at = memory + layout.places[fixup.section] + fixup.relocation.r_offset;
  const auto addend = static_cast<std::uint64_t>(fixup.relocation.r_addend);
  if (type == R_X86_64_64) {
    const std::uint64_t value = address_of(layout, memory, layout.symbols[index]) + addend;
    std::memcpy(at, &value, sizeof value);
    return;
  }
  const std::size_t place = layout.place(layout.symbols[index]);
  const char* const target = memory + (needs_slot(type)    ? layout.slots[index]
                                       : place == kNowhere ? layout.slots[index] + kJumpOffset
                                                           : place);
  const auto value = static_cast<std::int32_t>(target - at + fixup.relocation.r_addend);
  std::memcpy(at, &value, sizeof value);
}

std::size_t find_function(const Layout& layout, std::string_view name) {
  for (const Elf64_Sym& symbol : layout.symbols) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && layout.name(symbol) == name) return layout.place(symbol);
  }
  return kNowhere;
}

}  // namespace

bool is_relocatable(std::string_view image) {
  Elf64_Ehdr header;
  if (image.size() < sizeof header) return false;
  std::memcpy(&header, image.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_type == ET_REL;
}

bool can_place(std::string_view object) {
  return lay_out(object).has_value();
}

ObjectImage::ObjectImage(std::string_view object, std::string_view function) {
  const std::optional<Layout> layout = lay_out(object);
  const std::size_t entry = layout ? find_function(*layout, function) : kNowhere;
  if (entry == kNowhere) {
    throw RuntimeError("[compile kernel] an object has no " + std::string(function) +
                       ", or cannot be loaded into memory: remove the folder of compiled kernels");
  }
  size_ = layout->size;
  void* const pages = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw RuntimeError(std::string("[compile kernel] no memory for a kernel: ") + std::strerror(errno));
  memory_ = static_cast<char*>(pages);
  for (std::size_t i = 0; i < layout->sections.size(); ++i) {
    const Elf64_Shdr& section = layout->sections[i];
    if (layout->places[i] != kNowhere)
      std::memcpy(memory_ + layout->places[i], object.data() + section.sh_offset, section.sh_size);
  }
  fill_slots(*layout, memory_);
  for (const Fixup& fixup : layout->fixups) apply(*layout, fixup, memory_);
  if (mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) {
    const int error = errno;
    munmap(memory_, size_);
    throw RuntimeError(std::string("[compile kernel] this system refuses executable memory: ") + std::strerror(error) +
                       "; set PILUM_COMPILER=c++");
  }
  function_ = memory_ + entry;
}

ObjectImage::~ObjectImage() {
  munmap(memory_, size_);
}

}  // namespace pilum::jit
