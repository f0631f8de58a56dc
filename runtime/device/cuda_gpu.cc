// Gpu by the CUDA driver's interface.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/device/cuda_blas.h"
#include "runtime/device/cuda_context.h"
#include "runtime/device/cuda_delay.h"
#include "runtime/device/cuda_driver.h"
#include "runtime/device/cuda_fft.h"
#include "runtime/device/cuda_flag.h"
#include "runtime/device/cuda_graph.h"
#include "runtime/device/cuda_ranges.h"
#include "runtime/device/cuda_solver.h"
#include "runtime/device/cuda_stream.h"
#include "runtime/device/cuda_times.h"
#include "runtime/device/gpu.h"

namespace pilum::device {
namespace {

// What cuMemcpy2DAsync takes (CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device).
constexpr std::size_t kMaxPitch = 0x7fffffff;

std::string name_of(const GpuInfo& info) {
  const std::string details = info.name + (info.bus.empty() ? "" : ", " + info.bus);
  return "GPU " + std::to_string(info.ordinal) + (info.name.empty() ? "" : " (" + details + ")");
}

CUdeviceptr address(const std::byte* data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

class CudaGpu final : public Gpu, public CudaGraphMember {
 public:
  CudaGpu(const CudaDriver& driver, const GpuInfo& info);
  ~CudaGpu() override;

  const GpuInfo& info() const override { return info_; }
  std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* data) override;
  std::byte* allocate_pinned(std::size_t bytes) override;
  void release_pinned(std::byte* data) override;
  std::int64_t free_bytes() override;
  int occupancy(const std::shared_ptr<const GpuImage>& image, int threads) override;
  bool has_loaded(const std::shared_ptr<const GpuImage>& image) override;
  void launch(Stream stream, const GpuLaunch& launch) override;
  std::string find_trouble(GpuSkill skill) override;
  void multiply(Stream stream, const GpuProduct& product) override;
  std::size_t transform_bytes(const GpuTransform& transform) override;
  void transform(Stream stream, const GpuTransform& transform, std::byte* from, std::byte* to,
                 std::byte* work) override;
  std::size_t lapack_bytes(const GpuLapack& lapack) override;
  void run(Stream stream, const GpuLapack& lapack, const GpuLapackCells& cells) override;
  void copy(Stream stream, const GpuCopy& copy) override;
  void tell(Stream stream, const GpuFlag& flag) override;
  void give_up_flags() override;
  std::unique_ptr<GpuGraph> make_graph() override;
  void launch(Stream stream, GpuGraph& graph) override;
  Event record_event(Stream stream) override;
  void wait(Stream stream, Gpu& other, Event event) override;
  bool completed(Event event) override;
  std::int64_t mark_time(Stream stream) override;
  std::optional<std::int64_t> take_time(std::int64_t mark) override;
  void wait_for_program(void* program_stream) override;
  void make_program_wait(void* program_stream) override;
  void finish() override;
  bool connect(Gpu& other) override;
  GpuShare share(std::byte* data) override;
  std::byte* open_share(const GpuShare& share) override;
  void push_range(const char* name) override { push_profiler_range(name); }
  void pop_range() override { pop_profiler_range(); }
  const CudaCalls& graph_calls() const override { return cuda_; }
  CUcontext graph_context() const override;
  CUfunction graph_entry(const std::shared_ptr<const GpuImage>& image) override;
  int graph_priority(Stream stream) const override { return priorities_[static_cast<std::size_t>(stream)]; }
  CUstream graph_stream() override { return stream_of(Stream::Compute).handle(); }
  const std::byte* graph_given_up() const override { return given_up_; }
  CudaCaptured graph_capture(const GpuLibraryCall& call) override;
  bool graph_reaches(const CudaGraphMember& other) const override;
  bool graph_reaches(const std::byte* data) const override;
  void graph_retire(std::unique_ptr<CudaRetiredGraph> graph) override;

 private:
  struct Module {
    std::shared_ptr<const GpuImage> image;  // keeps the key's address its own
    CUmodule module = nullptr;
    CUfunction entry = nullptr;
    std::vector<std::pair<int, int>> resident;  // by threads of a block
  };

  CudaStream& stream_of(Stream stream) { return *streams_[static_cast<std::size_t>(stream)]; }
  Module& find_module(const std::shared_ptr<const GpuImage>& image);
  void order(CUstream first, CUstream then);
  void copy_line(CUstream stream, std::byte* to, const std::byte* from, std::size_t bytes);
  void start(Stream stream, const GpuLaunch& launch);
  CudaBlas& blas_of(std::size_t place, CudaStream& stream);
  void make_room_for_transforms();
  void be_late(Stream stream);

  // In this order: what is below uses what is above, also while it is destroyed.
  const GpuInfo info_;
  const CudaCalls cuda_;
  const CUdevice device_;
  const CudaContext context_;
  std::array<std::unique_ptr<CudaStream>, kStreams.size()> streams_;
  std::array<int, kStreams.size()> priorities_{};
  std::unique_ptr<CudaStream> capture_;  // in which nothing runs: its calls are written down as graphs
  // One a stream, and one of graphs: products of two streams run at once, each in a workspace of its own.
  static constexpr std::size_t kOfGraphs = kStreams.size();
  std::array<std::unique_ptr<CudaBlas>, kStreams.size() + 1> blas_;
  CudaFft fft_;
  CudaSolver solver_;
  CudaTimes times_;
  CudaDelay delay_;
  std::unordered_map<const GpuImage*, Module> modules_;
  std::unordered_map<std::byte*, GpuShare> shared_;
  std::vector<std::pair<GpuShare, std::byte*>> opened_;
  std::vector<CUdevice> peers_;  // whose memory it reaches
  std::vector<std::unique_ptr<CudaRetiredGraph>> retired_;
  std::byte* given_up_ = nullptr;  // pinned
};

CUdevice find_device(const CudaCalls& cuda, int ordinal) {
  CUdevice device = 0;
  cuda.call(&CudaDriver::cuDeviceGet, &device, ordinal);
  return device;
}

CudaGpu::CudaGpu(const CudaDriver& driver, const GpuInfo& info)
    : info_(info),
      cuda_{driver, name_of(info)},
      device_(find_device(cuda_, info.ordinal)),
      context_(cuda_, device_),
      fft_(cuda_.who),
      solver_(cuda_.who),
      times_(cuda_),
      delay_(info.ordinal) {
  int least = 0, greatest = 0;
  cuda_.call(&CudaDriver::cuCtxGetStreamPriorityRange, &least, &greatest);
  for (Stream stream : kStreams) {
    const int priority = stream == Stream::Compute ? least : greatest;
    priorities_[static_cast<std::size_t>(stream)] = priority;
    streams_[static_cast<std::size_t>(stream)] = std::make_unique<CudaStream>(cuda_, priority);
  }
  given_up_ = allocate_pinned(kFlagBytes);
  if (!given_up_) throw RuntimeError("[" + cuda_.who + "] there is no pinned memory left");
  std::memset(given_up_, 0, kFlagBytes);
}

CudaGpu::~CudaGpu() {
  try {
    finish();
  } catch (const Error&) {  // it was thrown to whoever used the GPU
  }
  retired_.clear();
  static_cast<void>(cuda_.attempt(&CudaDriver::cuMemFreeHost, given_up_));
  for (const auto& [share, data] : opened_)
    static_cast<void>(cuda_.attempt(&CudaDriver::cuIpcCloseMemHandle, address(data)));
  for (const auto& [image, module] : modules_) {
    static_cast<void>(cuda_.attempt(&CudaDriver::cuModuleUnload, module.module));
  }
  for (auto& blas : blas_) {
    std::byte* const workspace = blas ? blas->workspace() : nullptr;
    blas.reset();
    if (workspace) static_cast<void>(cuda_.attempt(&CudaDriver::cuMemFree_v2, address(workspace)));
  }
}

std::byte* CudaGpu::allocate(std::size_t bytes) {
  context_.make_current();
  CUdeviceptr data = 0;
  const CUresult result = cuda_.attempt(&CudaDriver::cuMemAlloc_v2, &data, std::max<std::size_t>(bytes, 1));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  if (result != CUDA_SUCCESS) cuda_.fail(&CudaDriver::cuMemAlloc_v2, result);
  return reinterpret_cast<std::byte*>(data);
}

void CudaGpu::release(std::byte* data) {
  if (!data) return;
  finish();
  shared_.erase(data);
  cuda_.call(&CudaDriver::cuMemFree_v2, address(data));
}

std::byte* CudaGpu::allocate_pinned(std::size_t bytes) {
  context_.make_current();
  void* data = nullptr;
  const unsigned flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  const CUresult result = cuda_.attempt(&CudaDriver::cuMemHostAlloc, &data, std::max<std::size_t>(bytes, 1), flags);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  if (result != CUDA_SUCCESS) cuda_.fail(&CudaDriver::cuMemHostAlloc, result);
  return static_cast<std::byte*>(data);
}

void CudaGpu::release_pinned(std::byte* data) {
  if (!data) return;
  finish();
  cuda_.call(&CudaDriver::cuMemFreeHost, data);
}

std::int64_t CudaGpu::free_bytes() {
  context_.make_current();
  std::size_t free = 0, total = 0;
  cuda_.call(&CudaDriver::cuMemGetInfo_v2, &free, &total);
  return static_cast<std::int64_t>(free);
}

void CudaGpu::launch(Stream stream, const GpuLaunch& launch) {
  context_.make_current();
  be_late(stream);
  start(stream, launch);
}

void CudaGpu::be_late(Stream stream) {
  if (const auto delay = delay_.draw()) start(stream, *delay);
}

void CudaGpu::start(Stream stream, const GpuLaunch& launch) {
  const CUfunction entry = find_module(launch.image).entry;
  std::size_t size = launch.words.size_bytes();
  void* argument[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::uint64_t*>(launch.words.data()),
                      CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  const auto& [grid, block] = std::pair(launch.grid, launch.block);
  cuda_.call(&CudaDriver::cuLaunchKernel, entry, grid[0], grid[1], grid[2], block[0], block[1], block[2],
             /*sharedMemBytes=*/0u, stream_of(stream).handle(), /*kernelParams=*/nullptr, argument);
}

// A driver's stream is the runtime library's too, and cuBLAS works in the context that is current.
CudaBlas& CudaGpu::blas_of(std::size_t place, CudaStream& stream) {
  std::unique_ptr<CudaBlas>& blas = blas_[place];
  if (!blas) {
    std::byte* const workspace = allocate(kBlasWorkspaceBytes);  // null: cuBLAS does with less
    try {
      blas = std::make_unique<CudaBlas>(cuda_.who, stream.handle(), workspace);
    } catch (...) {
      release(workspace);
      throw;
    }
  }
  return *blas;
}

void CudaGpu::multiply(Stream stream, const GpuProduct& product) {
  context_.make_current();
  blas_of(static_cast<std::size_t>(stream), stream_of(stream)).multiply(product);
}

std::string CudaGpu::find_trouble(GpuSkill skill) {
  switch (skill) {
    case GpuSkill::Products: return find_blas_trouble();
    case GpuSkill::Transforms: return find_fft_trouble();
    case GpuSkill::Factors: return find_solver_trouble();
  }
  __builtin_unreachable();
}

std::size_t CudaGpu::transform_bytes(const GpuTransform& transform) {
  context_.make_current();
  return fft_.work_bytes(transform);
}

void CudaGpu::transform(Stream stream, const GpuTransform& transform, std::byte* from, std::byte* to, std::byte* work) {
  context_.make_current();
  make_room_for_transforms();
  fft_.transform(stream_of(stream).handle(), transform, from, to, work);
}

void CudaGpu::make_room_for_transforms() {
  if (!fft_.is_full()) return;
  finish();  // what runs may still read a plan's tables
  fft_.forget();
}

// By the driver's capture: the library believes that it issues.
CudaCaptured CudaGpu::graph_capture(const GpuLibraryCall& call) {
  context_.make_current();
  if (!capture_) capture_ = std::make_unique<CudaStream>(cuda_, priorities_.front());
  const auto* product = std::get_if<GpuProduct>(&call);
  const auto* transform = std::get_if<GpuTransformCall>(&call);
  CudaBlas* const blas = product ? &blas_of(kOfGraphs, *capture_) : nullptr;
  CudaCaptured captured;
  if (transform) {
    make_room_for_transforms();
    captured.held = fft_.hold(transform->transform);
  }
  std::string trouble;
  // Relaxed: the library may load its kernels meanwhile.
  cuda_.call(&CudaDriver::cuStreamBeginCapture_v2, capture_->handle(), CU_STREAM_CAPTURE_MODE_RELAXED);
  try {
    if (product) blas->multiply(*product);
    if (transform)
      fft_.transform(capture_->handle(), transform->transform, transform->from, transform->to, transform->work);
  } catch (const Error& error) {
    trouble = error.what();
  }
  const CUresult result = cuda_.attempt(&CudaDriver::cuStreamEndCapture, capture_->handle(), &captured.graph);
  if (result == CUDA_SUCCESS && trouble.empty()) return captured;
  if (captured.graph) static_cast<void>(cuda_.attempt(&CudaDriver::cuGraphDestroy, captured.graph));
  if (trouble.empty()) trouble = "[" + cuda_.who + "] " + describe(cuda_.driver, result);
  throw GraphRefused(trouble);
}

std::size_t CudaGpu::lapack_bytes(const GpuLapack& lapack) {
  context_.make_current();
  return solver_.work_bytes(lapack);
}

void CudaGpu::run(Stream stream, const GpuLapack& lapack, const GpuLapackCells& cells) {
  context_.make_current();
  solver_.run(stream_of(stream).handle(), lapack, cells);
}

int CudaGpu::occupancy(const std::shared_ptr<const GpuImage>& image, int threads) {
  context_.make_current();
  Module& module = find_module(image);
  for (const auto& [known, blocks] : module.resident) {
    if (known == threads) return blocks;
  }
  int blocks = 0;
  cuda_.call(&CudaDriver::cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, module.entry, threads,
             /*dynamicSMemSize=*/std::size_t{0});
  module.resident.emplace_back(threads, blocks);
  return blocks;
}

bool CudaGpu::has_loaded(const std::shared_ptr<const GpuImage>& image) {
  return modules_.contains(image.get());
}

CudaGpu::Module& CudaGpu::find_module(const std::shared_ptr<const GpuImage>& image) {
  PILUM_CHECK(image);
  const auto found = modules_.find(image.get());
  if (found != modules_.end()) return found->second;
  Module loaded{.image = image};
  cuda_.call(&CudaDriver::cuModuleLoadDataEx, &loaded.module, image->bytes.data(), 0u, nullptr, nullptr);
  const CUresult result = cuda_.attempt(&CudaDriver::cuModuleGetFunction, &loaded.entry, loaded.module, "pilum_kernel");
  if (result != CUDA_SUCCESS) {
    static_cast<void>(cuda_.attempt(&CudaDriver::cuModuleUnload, loaded.module));
    cuda_.fail(&CudaDriver::cuModuleGetFunction, result);
  }
  return modules_.emplace(image.get(), std::move(loaded)).first->second;
}

// Addresses say where memory is (one address space), so a line between two GPUs is copied like any other.
void CudaGpu::copy_line(CUstream stream, std::byte* to, const std::byte* from, std::size_t bytes) {
  cuda_.call(&CudaDriver::cuMemcpyAsync, address(to), address(from), bytes, stream);
}

void CudaGpu::copy(Stream stream, const GpuCopy& copy) {
  if (copy.width == 0 || copy.rows == 0) return;
  context_.make_current();
  be_late(stream);
  const CUstream handle = stream_of(stream).handle();
  if (copy.rows == 1 || (copy.to_pitch == copy.width && copy.from_pitch == copy.width)) {
    return copy_line(handle, copy.to, copy.from, copy.width * copy.rows);
  }
  if (std::max(copy.to_pitch, copy.from_pitch) > kMaxPitch) {
    for (std::size_t row = 0; row < copy.rows; ++row) {
      copy_line(handle, copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch, copy.width);
    }
    return;
  }
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = rows.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = address(copy.from);
  rows.dstDevice = address(copy.to);
  rows.srcPitch = copy.from_pitch;
  rows.dstPitch = copy.to_pitch;
  rows.WidthInBytes = copy.width;
  rows.Height = copy.rows;
  cuda_.call(&CudaDriver::cuMemcpy2DAsync_v2, static_cast<const CUDA_MEMCPY2D*>(&rows), handle);
}

void CudaGpu::tell(Stream stream, const GpuFlag& flag) {
  launch(stream, FlagLaunch(flag, given_up_).launch());
}

void CudaGpu::give_up_flags() {
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(given_up_)).store(1, std::memory_order_release);
}

std::unique_ptr<GpuGraph> CudaGpu::make_graph() {
  return std::make_unique<CudaGraph>(*this);
}

void CudaGpu::launch(Stream stream, GpuGraph& graph) {
  context_.make_current();
  be_late(stream);
  static_cast<CudaGraph&>(graph).issue(stream_of(stream).handle());
}

CUcontext CudaGpu::graph_context() const {
  context_.make_current();
  return context_.handle();
}

bool CudaGpu::graph_reaches(const CudaGraphMember& other) const {
  const CUdevice device = static_cast<const CudaGpu&>(other).device_;
  return device == device_ || std::find(peers_.begin(), peers_.end(), device) != peers_.end();
}

void CudaGpu::graph_retire(std::unique_ptr<CudaRetiredGraph> graph) {
  retired_.push_back(std::move(graph));
  std::erase_if(retired_, [](const auto& one) { return one->has_ended(); });
}

// Pinned memory is made for all GPUs; of what the driver does not know nothing is believed.
bool CudaGpu::graph_reaches(const std::byte* data) const {
  unsigned type = 0;
  int ordinal = -1;
  const auto ask = [&](void* answer, CUpointer_attribute what) {
    return cuda_.attempt(&CudaDriver::cuPointerGetAttribute, answer, what, address(data)) == CUDA_SUCCESS;
  };
  if (!ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)) return false;
  if (type == CU_MEMORYTYPE_HOST) return true;
  if (!ask(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)) return false;
  return ordinal == device_ || std::find(peers_.begin(), peers_.end(), ordinal) != peers_.end();
}

CUfunction CudaGpu::graph_entry(const std::shared_ptr<const GpuImage>& image) {
  context_.make_current();
  return find_module(image).entry;
}

Event CudaGpu::record_event(Stream stream) {
  context_.make_current();
  return {stream, stream_of(stream).record_event()};
}

void CudaGpu::wait(Stream stream, Gpu& other, Event event) {
  auto& maker = static_cast<CudaGpu&>(other);
  if (&maker == this && event.stream == stream) return;
  const CUevent made = maker.stream_of(event.stream).cuda_event_of(event.number);
  if (!made) return;
  context_.make_current();
  cuda_.call(&CudaDriver::cuStreamWaitEvent, stream_of(stream).handle(), made, 0u);
}

bool CudaGpu::completed(Event event) {
  context_.make_current();
  return stream_of(event.stream).completed(event.number);
}

// The event may go at once: the driver keeps what a stream still waits for.
void CudaGpu::order(CUstream first, CUstream then) {
  CUevent event = nullptr;
  cuda_.call(&CudaDriver::cuEventCreate, &event, static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  const CUresult recorded = cuda_.attempt(&CudaDriver::cuEventRecord, event, first);
  const CUresult waits =
      recorded == CUDA_SUCCESS ? cuda_.attempt(&CudaDriver::cuStreamWaitEvent, then, event, 0u) : recorded;
  static_cast<void>(cuda_.attempt(&CudaDriver::cuEventDestroy_v2, event));
  if (recorded != CUDA_SUCCESS) cuda_.fail(&CudaDriver::cuEventRecord, recorded);
  if (waits != CUDA_SUCCESS) cuda_.fail(&CudaDriver::cuStreamWaitEvent, waits);
}

std::int64_t CudaGpu::mark_time(Stream stream) {
  context_.make_current();
  return times_.mark(stream_of(stream).handle());
}

std::optional<std::int64_t> CudaGpu::take_time(std::int64_t mark) {
  context_.make_current();
  return times_.take(mark);
}

void CudaGpu::wait_for_program(void* program_stream) {
  context_.make_current();
  for (const auto& stream : streams_) order(static_cast<CUstream>(program_stream), stream->handle());
}

void CudaGpu::make_program_wait(void* program_stream) {
  context_.make_current();
  for (const auto& stream : streams_) order(stream->handle(), static_cast<CUstream>(program_stream));
}

void CudaGpu::finish() {
  context_.make_current();
  for (const auto& stream : streams_) stream->finish();
}

GpuShare CudaGpu::share(std::byte* data) {
  const auto known = shared_.find(data);
  if (known != shared_.end()) return known->second;
  context_.make_current();
  CUipcMemHandle handle{};
  cuda_.call(&CudaDriver::cuIpcGetMemHandle, &handle, address(data));
  static_assert(sizeof handle.reserved == sizeof(GpuShare));
  GpuShare share;
  std::memcpy(share.bytes.data(), handle.reserved, sizeof share);
  shared_.emplace(data, share);
  return share;
}

std::byte* CudaGpu::open_share(const GpuShare& share) {
  for (const auto& [known, data] : opened_) {
    if (known == share) return data;
  }
  context_.make_current();
  CUipcMemHandle handle{};
  std::memcpy(handle.reserved, share.bytes.data(), sizeof share);
  CUdeviceptr data = 0;
  cuda_.call(&CudaDriver::cuIpcOpenMemHandle_v2, &data, handle,
             static_cast<unsigned>(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  opened_.emplace_back(share, reinterpret_cast<std::byte*>(data));
  return opened_.back().second;
}

bool CudaGpu::connect(Gpu& other) {
  const auto& peer = static_cast<CudaGpu&>(other);
  if (peer.device_ == device_) return true;
  context_.make_current();
  int reachable = 0;
  cuda_.call(&CudaDriver::cuDeviceCanAccessPeer, &reachable, device_, peer.device_);
  if (!reachable) return false;
  const CUresult result = cuda_.attempt(&CudaDriver::cuCtxEnablePeerAccess, peer.context_.handle(), 0u);
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
    peers_.push_back(peer.device_);
    return true;
  }
  if (result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED || result == CUDA_ERROR_TOO_MANY_PEERS) return false;
  cuda_.fail(&CudaDriver::cuCtxEnablePeerAccess, result);
}

int attribute(const CudaCalls& cuda, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  cuda.call(&CudaDriver::cuDeviceGetAttribute, &value, which, device);
  return value;
}

// Bytes/s; 0 where the driver does not say. Two transfers a clock, as all memory of GPUs has it.
double stated_bandwidth(const CudaCalls& cuda, CUdevice device) {
  int kilohertz = 0, bits = 0;
  const auto ask = [&](int& value, CUdevice_attribute which) {
    return cuda.attempt(&CudaDriver::cuDeviceGetAttribute, &value, which, device) == CUDA_SUCCESS;
  };
  if (!ask(kilohertz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) return 0;
  if (!ask(bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)) return 0;
  return 2.0 * kilohertz * 1e3 * bits / 8;
}

GpuInfo read_info(const CudaDriver& driver, int ordinal) {
  GpuInfo info{.ordinal = ordinal};
  const CudaCalls cuda{driver, name_of(info)};
  const CUdevice device = find_device(cuda, ordinal);
  std::array<char, 256> text{};
  cuda.call(&CudaDriver::cuDeviceGetName, text.data(), static_cast<int>(text.size()), device);
  info.name = text.data();
  cuda.call(&CudaDriver::cuDeviceGetPCIBusId, text.data(), static_cast<int>(text.size()), device);
  info.bus = text.data();
  for (char& character : info.bus) character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  info.architecture = "sm_" + std::to_string(attribute(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
                      std::to_string(attribute(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  std::size_t bytes = 0;
  cuda.call(&CudaDriver::cuDeviceTotalMem_v2, &bytes, device);
  info.memory_bytes = static_cast<std::int64_t>(bytes);
  info.cache_bytes = attribute(cuda, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.multiprocessors = attribute(cuda, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.memory_bandwidth = stated_bandwidth(cuda, device);
  return info;
}

}  // namespace

GpuList list_gpus() try {
  const CudaLoaded& cuda = load_cuda();
  if (!cuda.driver) return {{}, cuda.trouble};
  int count = 0;
  CudaCalls{*cuda.driver, "GPUs"}.call(&CudaDriver::cuDeviceGetCount, &count);
  GpuList list;
  for (int ordinal = 0; ordinal < count; ++ordinal) list.gpus.push_back(read_info(*cuda.driver, ordinal));
  return list;
} catch (const std::exception& error) {
  return {{}, std::string("the NVIDIA driver does not work: ") + error.what()};
}

std::unique_ptr<Gpu> open_gpu(const GpuInfo& info) {
  const CudaLoaded& cuda = load_cuda();
  if (!cuda.driver) throw RuntimeError("[" + name_of(info) + "] it cannot be opened: " + cuda.trouble);
  return std::make_unique<CudaGpu>(*cuda.driver, info);
}

}  // namespace pilum::device
