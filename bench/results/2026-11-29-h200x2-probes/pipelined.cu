/*
   Iterations of CG with two exposed sums, with one and with none (pipelined) in a graph, with NCCL on two GPUs: empty
   of arithmetic, with the bytes, sums and messages of each. One process, one thread for each GPU.
     nvcc -std=c++20 -O2 -arch=sm_90 pipelined.cu -o pipelined -lnccl && ./pipelined
*/
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>
#include <thread>
#include <vector>

#define CHECK(call) \
  do { \
    const int result = static_cast<int>(call); \
    if (result != 0) { \
      std::printf("line %d: error %d\n", __LINE__, result); \
      std::exit(1); \
    } \
  } while (0)

/* Reads `reads` arrays of n values and writes `writes` */
__global__ void touch(const double *from, double *to, long n, int reads, int writes)
{
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long)blockDim.x) {
    double sum = 0;
    for (int k = 0; k < reads; k++) sum += from[k * n + i];
    for (int k = 0; k < writes; k++) to[k * n + i] = sum + k;
  }
}

enum Method { two_sums, one_sum, pipelined, methods };
const char *const name[] = {"two sums", "one sum", "pipelined"};
std::barrier<>    both(2);

/*
   n rows on this GPU, m values of halo; the sums of a pipelined iteration have a communicator of their own. Longer than
   60 lines: one sequence
*/
void measure(int rank, ncclUniqueId of_halo, ncclUniqueId of_sums, long n, int m)
{
  constexpr int blocks = 132 * 8, in_graph = 8, launches = 20;
  ncclComm_t    halo, sums;
  cudaStream_t  main_stream, halo_stream, sum_stream;
  cudaEvent_t   fork, halo_done, sum_done;
  double       *matrix, *vectors, *product, *ghosts, *scalars;

  CHECK(cudaSetDevice(rank));
  CHECK(ncclCommInitRank(&halo, 2, of_halo, rank));
  CHECK(ncclCommInitRank(&sums, 2, of_sums, rank));
  for (cudaStream_t *s : {&main_stream, &halo_stream, &sum_stream}) CHECK(cudaStreamCreate(s));
  for (cudaEvent_t *e : {&fork, &halo_done, &sum_done}) CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
  CHECK(cudaMalloc(&matrix, sizeof(double) * n * 9));
  CHECK(cudaMalloc(&vectors, sizeof(double) * n * 10));
  CHECK(cudaMalloc(&product, sizeof(double) * n));
  CHECK(cudaMalloc(&ghosts, sizeof(double) * m));
  CHECK(cudaMalloc(&scalars, 64));
  CHECK(cudaMemset(matrix, 0, sizeof(double) * n * 9));
  CHECK(cudaMemset(vectors, 0, sizeof(double) * n * 10));
  CHECK(cudaMemset(scalars, 0, 64));
  const auto update = [&](int reads, int writes) { touch<<<blocks, 256, 0, main_stream>>>(vectors, vectors, n, reads, writes); };
  const auto add    = [&](int count, ncclComm_t by, cudaStream_t stream) { CHECK(ncclAllReduce(scalars, scalars, count, ncclDouble, ncclSum, by, stream)); };

  for (int method = 0; method < methods; method++) {
    std::vector<double> us;
    cudaGraph_t         graph;
    cudaGraphExec_t     exec;

    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < in_graph; k++) {
      CHECK(cudaEventRecord(fork, main_stream));
      CHECK(cudaStreamWaitEvent(halo_stream, fork, 0));
      CHECK(ncclGroupStart());
      CHECK(ncclSend(vectors, m, ncclDouble, 1 - rank, halo, halo_stream));
      CHECK(ncclRecv(ghosts, m, ncclDouble, 1 - rank, halo, halo_stream));
      CHECK(ncclGroupEnd());
      CHECK(cudaEventRecord(halo_done, halo_stream));
      if (method == pipelined) {
        CHECK(cudaStreamWaitEvent(sum_stream, fork, 0));
        add(3, sums, sum_stream);
        CHECK(cudaEventRecord(sum_done, sum_stream));
      }
      touch<<<blocks, 256, 0, main_stream>>>(matrix, product, n, 9, 1); /* interior rows: values, inverse, vector */
      CHECK(cudaStreamWaitEvent(main_stream, halo_done, 0));
      if (method == pipelined) CHECK(cudaStreamWaitEvent(main_stream, sum_done, 0));
      touch<<<blocks, 256, 0, main_stream>>>(ghosts, ghosts, m, 1, 1); /* rows with ghosts */
      if (method == two_sums) {
        add(1, halo, main_stream);
        update(5, 3);
        add(2, halo, main_stream);
      } else if (method == one_sum) {
        add(3, halo, main_stream);
        update(7, 4);
      } else update(10, 8);
    }
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int sample = 0; sample < 12; sample++) {
      CHECK(cudaStreamSynchronize(main_stream));
      both.arrive_and_wait();
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < launches; k++) CHECK(cudaGraphLaunch(exec, main_stream));
      CHECK(cudaStreamSynchronize(main_stream));
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
      if (sample > 1) us.push_back(took.count() / (launches * in_graph));
    }
    std::sort(us.begin(), us.end());
    if (rank == 0) std::printf("  %s %.1f us\n", name[method], us[us.size() / 2]);
    both.arrive_and_wait();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
  }
  for (double *array : {matrix, vectors, product, ghosts, scalars}) CHECK(cudaFree(array));
  both.arrive_and_wait();
  CHECK(ncclCommDestroy(sums));
  CHECK(ncclCommDestroy(halo));
}

int main()
{
  const long rows[] = {262144, 1000000, 4096000};
  const int  halo[] = {4096, 10000, 25600};

  for (int k = 0; k < 3; k++) {
    ncclUniqueId of_halo, of_sums;

    CHECK(ncclGetUniqueId(&of_halo));
    CHECK(ncclGetUniqueId(&of_sums));
    std::printf("%ld rows\n", rows[k]);
    std::thread first(measure, 0, of_halo, of_sums, rows[k] / 2, halo[k]), second(measure, 1, of_halo, of_sums, rows[k] / 2, halo[k]);
    first.join();
    second.join();
  }
}
