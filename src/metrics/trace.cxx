/*
   CUPTI's activity records of kernels, which cover launches, graphs and cooperative kernels alike, and its callbacks at
   launches, including launches that a graph records: these assign a kernel to the running pass. The library is loaded
   when metrics are switched on, so that heptane does not depend on it.
*/
#include "trace.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <cuda_runtime.h>
  #if __has_include(<cupti.h>)
    #include <cupti.h>
    #define HAVE_CUPTI (CUPTI_API_VERSION >= 18)
  #endif
#endif
#ifndef HAVE_CUPTI
  #define HAVE_CUPTI 0
#endif
#if HAVE_CUPTI
  #include <cstdlib>
  #include <dlfcn.h>
#endif

namespace heptane
{

#if HAVE_CUPTI

namespace
{

MetricsCollector *collector = nullptr;

struct Cupti {
  decltype(&cuptiSubscribe)                    subscribe;
  decltype(&cuptiUnsubscribe)                  unsubscribe;
  decltype(&cuptiEnableCallback)               enable_callback;
  decltype(&cuptiActivityRegisterCallbacks)    register_buffers;
  decltype(&cuptiActivityEnable)               enable;
  decltype(&cuptiActivityDisable)              disable;
  decltype(&cuptiActivityFlushAll)             flush;
  decltype(&cuptiActivityGetNextRecord)        next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped;
  decltype(&cuptiGetResultString)              text;
  CUpti_SubscriberHandle                       subscriber = nullptr;
  std::size_t                                  lost       = 0;
};
Cupti cupti = {};

/*
   Possible locations of the library: the loader's paths, next to CUDA's run-time library, in its extras folder, in
   Python packages, in the usual folder
*/
std::vector<std::string> places()
{
  std::vector<std::string> folders = {""};
  Dl_info                  info;

  if (dladdr(reinterpret_cast<void *>(&cudaRuntimeGetVersion), &info) && info.dli_fname) {
    const std::string file = info.dli_fname, folder = file.substr(0, file.rfind('/') + 1);

    for (const char *subfolder : {"", "../extras/CUPTI/lib64/", "../../../extras/CUPTI/lib64/", "../../cuda_cupti/lib/"}) folders.push_back(folder + subfolder);
  }
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable)) folders.push_back(std::string(home) + "/extras/CUPTI/lib64/");
  for (const char *usual : {"/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) folders.push_back(usual);
  return folders;
}

void *load(std::string *name)
{
  *name = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
  for (const std::string &folder : places())
    if (void *library = dlopen((folder + *name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <class F>
bool find(void *library, const char *name, F *function)
{
  *function = reinterpret_cast<F>(dlsym(library, name));
  return *function != nullptr;
}

bool find_all(void *library)
{
  return find(library, "cuptiSubscribe", &cupti.subscribe) && find(library, "cuptiUnsubscribe", &cupti.unsubscribe) &&
         find(library, "cuptiEnableCallback", &cupti.enable_callback) && find(library, "cuptiActivityRegisterCallbacks", &cupti.register_buffers) &&
         find(library, "cuptiActivityEnable", &cupti.enable) && find(library, "cuptiActivityDisable", &cupti.disable) &&
         find(library, "cuptiActivityFlushAll", &cupti.flush) && find(library, "cuptiActivityGetNextRecord", &cupti.next_record) &&
         find(library, "cuptiActivityGetNumDroppedRecords", &cupti.dropped) && find(library, "cuptiGetResultString", &cupti.text);
}

void set(unsigned to[3], unsigned x, unsigned y, unsigned z)
{
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

void CUPTIAPI give_buffer(std::uint8_t **buffer, std::size_t *size, std::size_t *records)
{
  constexpr std::size_t bytes = std::size_t(4) << 20;

  *buffer  = static_cast<std::uint8_t *>(std::aligned_alloc(4096, bytes));
  *size    = *buffer ? bytes : 0;
  *records = 0; /* as many as fit */
}

/* Called by a thread of CUPTI */
void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t, std::size_t valid)
{
  CUpti_Activity *record = nullptr;
  std::size_t     lost   = 0;

  while (valid && cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL) continue;
    const auto *k = reinterpret_cast<const CUpti_ActivityKernel9 *>(record); /* later versions begin with the same members */
    KernelRun   run;

    run.shape.name = k->name ? k->name : "";
    set(run.shape.grid, k->gridX, k->gridY, k->gridZ);
    set(run.shape.block, k->blockX, k->blockY, k->blockZ);
    run.registers      = k->registersPerThread;
    run.static_shared  = k->staticSharedMemory;
    run.dynamic_shared = k->dynamicSharedMemory;
    run.local          = k->localMemoryPerThread;
    run.begin          = k->start;
    run.end            = k->end;
    run.queue          = static_cast<std::uint64_t>(k->contextId) << 32 | k->streamId;
    collector->Ran(run);
  }
  if (cupti.dropped(context, stream, &lost) == CUPTI_SUCCESS) cupti.lost += lost;
  std::free(buffer);
}

/* As the parameters of cudaLaunchKernel(), for every launch function */
struct LaunchParameters {
  const void  *function;
  dim3         grid, block;
  void       **arguments;
  std::size_t  shared;
  cudaStream_t stream;
};
static_assert(sizeof(LaunchParameters) == sizeof(cudaLaunchKernel_v7000_params), "");

/*
   The launches that this library makes: as the compiler emits them (under another name since CUDA 13), with attributes,
   and cooperative; each also for per-thread streams
*/
constexpr CUpti_CallbackId with_configuration[] = {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
                                                   CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060};
constexpr CUpti_CallbackId plain[]              = {
               CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
               CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
               CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
               CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000,
  #if CUPTI_API_VERSION >= 130000
               CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
               CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000,
  #endif
};

/* The mangled name, which callbacks may lack */
const char *name_of(const CUpti_CallbackData *call, const void *function)
{
  const char *name = call->symbolName;

  if (!name && cudaFuncGetName(&name, function) != cudaSuccess) {
    (void)cudaGetLastError(); /* clears the error, which is handled here */
    name = nullptr;
  }
  return name;
}

void CUPTIAPI at_launch(void *, CUpti_CallbackDomain, CUpti_CallbackId id, const void *data)
{
  const auto *call = static_cast<const CUpti_CallbackData *>(data);
  const void *function;
  KernelShape shape;

  if (call->callbackSite != CUPTI_API_ENTER || !call->functionParams) return;
  if (id == with_configuration[0] || id == with_configuration[1]) {
    const auto *p = static_cast<const cudaLaunchKernelExC_v11060_params *>(call->functionParams);

    function = p->func;
    set(shape.grid, p->config->gridDim.x, p->config->gridDim.y, p->config->gridDim.z);
    set(shape.block, p->config->blockDim.x, p->config->blockDim.y, p->config->blockDim.z);
  } else {
    const auto *p = static_cast<const LaunchParameters *>(call->functionParams);

    function = p->function;
    set(shape.grid, p->grid.x, p->grid.y, p->grid.z);
    set(shape.block, p->block.x, p->block.y, p->block.z);
  }
  const char *name = name_of(call, function);
  if (!name) return;
  shape.name = name;
  collector->Launched(shape, function);
}

CUptiResult enable_all()
{
  CUptiResult err = cupti.subscribe(&cupti.subscriber, at_launch, nullptr);

  for (CUpti_CallbackId id : with_configuration)
    if (err == CUPTI_SUCCESS) err = cupti.enable_callback(1, cupti.subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, id);
  for (CUpti_CallbackId id : plain)
    if (err == CUPTI_SUCCESS) err = cupti.enable_callback(1, cupti.subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, id);
  if (err == CUPTI_SUCCESS) err = cupti.register_buffers(give_buffer, take_buffer);
  if (err == CUPTI_SUCCESS) err = cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  return err;
}

} // namespace

bool trace_begin(MetricsCollector *to, std::string *why)
{
  static void *library = nullptr; /* stays loaded: it may have running threads */
  std::string  name;
  const char  *text = "";

  collector = to;
  if (!library) {
    library = load(&name);
    if (library && !find_all(library)) library = nullptr;
  }
  if (!library) {
    *why = "Times of kernels are missing: " + name + " was not found; it is part of CUDA (extras/CUPTI/lib64): add its folder to LD_LIBRARY_PATH";
    return false;
  }
  cupti.lost            = 0;
  const CUptiResult err = enable_all();
  if (err == CUPTI_SUCCESS) return true;
  (void)cupti.text(err, &text);
  if (cupti.subscriber) (void)cupti.unsubscribe(cupti.subscriber);
  cupti.subscriber = nullptr;
  *why             = std::string("Times of kernels are missing: CUPTI says ") + text + "; no other profiler may be in use";
  return false;
}

PetscErrorCode TraceEnd(std::string *remark)
{
  PetscFunctionBegin;
  if (!cupti.subscriber) PetscFunctionReturn(PETSC_SUCCESS);
  (void)cudaDeviceSynchronize(); /* errors of the program's kernels are reported by its own calls */
  (void)cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  (void)cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  (void)cupti.unsubscribe(cupti.subscriber);
  cupti.subscriber = nullptr;
  if (cupti.lost) *remark = std::to_string(cupti.lost) + " runs of kernels were lost by CUPTI";
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

bool trace_begin(MetricsCollector *, std::string *why)
{
  *why =
    PetscDefined(HAVE_CUDA) ? "Times of kernels are missing: heptane was compiled without cupti.h of CUDA 12 or newer" : "PETSc was configured without CUDA";
  return false;
}

PetscErrorCode TraceEnd(std::string *)
{
  return PETSC_SUCCESS;
}

#endif

} // namespace heptane
