#include "runtime/jit/find_plugin.h"

#include <cstddef>
#include <new>
#include <system_error>

#include <dlfcn.h>
#include <link.h>

namespace pilum::jit {
namespace fs = std::filesystem;
namespace {

const char here = 0;  // an address of this library's

std::vector<fs::path> folders_of(const OwnPlace& place) {
  std::vector<fs::path> folders;
  if (!place.library.empty()) folders.push_back(place.library.parent_path() / "pilum");
  for (const fs::path& folder : place.run_path) {
    if (folder.is_absolute()) folders.push_back(folder);
  }
  return folders;
}

std::vector<fs::path> run_path_of(void* object) {
  Dl_serinfo sizes{};
  if (dlinfo(object, RTLD_DI_SERINFOSIZE, &sizes) != 0) return {};
  // One struct with as many entries behind it as it says.
  std::vector<std::max_align_t> room(sizes.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = new (room.data()) Dl_serinfo(sizes);
  if (dlinfo(object, RTLD_DI_SERINFO, found) != 0) return {};
  std::vector<fs::path> folders;
  const Dl_serpath* entry = &found->dls_serpath[0];
  for (unsigned int k = 0; k < found->dls_cnt; ++k) folders.emplace_back(entry[k].dls_name);
  return folders;
}

}  // namespace

OwnPlace find_own_place() {
  OwnPlace place;
  Dl_info info{};
  link_map* own = nullptr;
  if (dladdr1(&here, &info, reinterpret_cast<void**>(&own), RTLD_DL_LINKMAP) == 0 || !own) return place;
  if (own->l_name && *own->l_name) {  // a program has no name there
    std::error_code ignored;
    place.library = fs::canonical(own->l_name, ignored);
  }
  void* object = dlopen(place.library.empty() ? nullptr : own->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!object) return place;
  place.run_path = run_path_of(object);
  dlclose(object);
  return place;
}

std::string find_plugin(const std::string& name, const OwnPlace& place) {
  for (const fs::path& folder : folders_of(place)) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return (folder / name).string();
  }
  return "";
}

std::string describe_search(const OwnPlace& place) {
  std::string text;
  for (const fs::path& folder : folders_of(place)) text += (text.empty() ? "looked in " : ", ") + folder.string();
  return text + "; put it there, or set PILUM_JIT_PLUGIN to its path";
}

}  // namespace pilum::jit
