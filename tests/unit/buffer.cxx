/*
   The owner of an array on either side: memory is made when asked for and kept while the size is, one state says where the values are up to date, sharers keep the memory.
*/
#include "device/buffer.hpp"

namespace
{

using Numbers = Buffer<double>;

double *Memory(Numbers &b, Where where)
{
  double *array = nullptr;

  EXPECT_EQ(b.Memory(where, &array), PETSC_SUCCESS);
  return array;
}

const double *Read(Numbers &b, Where where)
{
  const double *array = nullptr;

  EXPECT_EQ(b.Read(where, &array), PETSC_SUCCESS);
  return array;
}

TEST(Buffer, MakesMemoryWhenAskedForAndKeepsItWhileTheSizeIs)
{
  Numbers b(3);

  EXPECT_EQ(b.At(Where::host), nullptr);
  double *first = Memory(b, Where::host);
  ASSERT_NE(first, nullptr);
  first[2] = 5;
  b.Written(Where::host);
  b.Resize(3);
  EXPECT_EQ(b.State(), Valid::host);
  EXPECT_EQ(b.At(Where::host), first);
  EXPECT_EQ(b.At(Where::device), nullptr);
  b.Resize(4);
  EXPECT_EQ(b.At(Where::host), nullptr);
  EXPECT_EQ(b.State(), Valid::nowhere);
  b.Free();
  EXPECT_EQ(b.Size(), 0u);
  EXPECT_EQ(Memory(b, Where::host), nullptr);
}

TEST(Buffer, OneStateSaysWhereTheValuesAre)
{
  Numbers b(2);

  EXPECT_EQ(b.State(), Valid::nowhere);
  (void)Memory(b, Where::host);
  EXPECT_FALSE(b.ValidAt(Where::host)); /* memory is not values */
  b.Written(Where::host);
  EXPECT_EQ(b.State(), Valid::host);
  b.Written(Where::device);
  EXPECT_EQ(b.State(), Valid::device);
  EXPECT_FALSE(b.ValidAt(Where::host));
  b.Invalidate(Where::host);
  EXPECT_TRUE(b.ValidAt(Where::device));
  b.Invalidate(Where::device);
  EXPECT_EQ(b.State(), Valid::nowhere);
  b.Written(Where::host);
  b.Invalidate();
  EXPECT_EQ(b.State(), Valid::nowhere);
}

TEST(Buffer, ReadingWhatNobodyWroteIsAnError)
{
  Numbers       b(2);
  const double *array = nullptr;

  ASSERT_EQ(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), PETSC_SUCCESS);
  EXPECT_EQ(b.Read(Where::host, &array), PETSC_ERR_PLIB);
  EXPECT_EQ(PetscPopErrorHandler(), PETSC_SUCCESS);
  EXPECT_EQ(array, nullptr);
}

TEST(Buffer, SharersKeepTheMemory)
{
  Numbers b(2);

  Memory(b, Where::host)[1]           = 7;
  std::shared_ptr<const double> held  = b.Share(Where::host);
  const double                 *array = held.get();
  EXPECT_EQ(held.use_count(), 2);
  b.Free();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(array[1], 7);
  b.Resize(2);
  EXPECT_NE(Memory(b, Where::host), array); /* which is still taken */
}

TEST(Buffer, ZerosOnlyWhereTheMemoryIsNew)
{
  Numbers b(100);
  double *array = nullptr;

  {
    Numbers dirty(100); /* its memory is likely to be that of the next */

    std::fill_n(Memory(dirty, Where::host), 100, 3.0);
  }
  ASSERT_EQ(b.Zeros(Where::host, &array), PETSC_SUCCESS);
  for (int k = 0; k < 100; k++) EXPECT_EQ(array[k], 0);
  array[7] = 1;
  ASSERT_EQ(b.Zeros(Where::host, &array), PETSC_SUCCESS);
  EXPECT_EQ(array[7], 1);
}

TEST(Buffer, RefersToSomebodysArray)
{
  const std::vector<double> values = {1, 2, 3}, none;
  Numbers                   b;

  b.Refer(values);
  EXPECT_EQ(b.Size(), 3u);
  EXPECT_EQ(b.State(), Valid::host);
  EXPECT_EQ(Read(b, Where::host), values.data());
  b.Refer(none);
  EXPECT_EQ(b.State(), Valid::host);
  EXPECT_EQ(Read(b, Where::host), nullptr);
  EXPECT_EQ(Read(b, Where::device), nullptr); /* nothing to copy */
}

TEST(Buffer, AssignCopies)
{
  std::vector<double> values = {1, 2, 3};
  Numbers             b(7);

  ASSERT_EQ(b.Assign(Where::host, values), PETSC_SUCCESS);
  values[0] = 9;
  EXPECT_EQ(b.Size(), 3u);
  EXPECT_EQ(Read(b, Where::host)[0], 1);
  EXPECT_EQ(Read(b, Where::host)[2], 3);
}

TEST(Buffer, NoMemoryIsNoErrorWhereItIsTried)
{
  Numbers b(SIZE_MAX / 16), none;
  double *array = nullptr;

  ASSERT_EQ(b.TryMemory(Where::host, &array), PETSC_SUCCESS);
  EXPECT_EQ(array, nullptr);
  b.Resize(10);
  ASSERT_EQ(b.TryMemory(Where::host, &array), PETSC_SUCCESS);
  ASSERT_NE(array, nullptr);
  array[9] = 1;
  ASSERT_EQ(none.TryMemory(Where::host, &array), PETSC_SUCCESS);
  EXPECT_NE(array, nullptr);
}

#if PetscDefined(HAVE_CUDA)

class BufferCuda : public testing::Test {
protected:
  static void SetUpTestSuite()
  {
    int devices = 0;

    if (cudaGetDeviceCount(&devices) || !devices) return;
    ASSERT_EQ(PetscOptionsSetValue(nullptr, "-use_gpu_aware_mpi", "0"), PETSC_SUCCESS); /* else PETSc ends the program where MPI is not */
    ASSERT_EQ(PetscInitializeNoArguments(), PETSC_SUCCESS);
    initialized = true;
  }
  static void TearDownTestSuite()
  {
    if (!initialized) return;
    EXPECT_EQ(PetscFinalize(), PETSC_SUCCESS);
  }
  void SetUp() override
  {
    if (!initialized) GTEST_SKIP() << "no GPU";
  }
  static bool initialized;
};
bool BufferCuda::initialized = false;

TEST_F(BufferCuda, ValuesGoWhereTheyAreRead)
{
  const std::vector<double> values = {1, 2, 3};

  {
    Numbers b, zeros(5);
    double *array = nullptr, more[5];

    b.Refer(values);
    ASSERT_NE(Read(b, Where::device), nullptr);
    EXPECT_EQ(b.State(), Valid::both);
    ASSERT_EQ(cudaMemcpy(more, b.At(Where::device), 3 * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess);
    for (int k = 0; k < 3; k++) EXPECT_EQ(more[k], values[k]);

    ASSERT_EQ(zeros.Zeros(Where::device, &array), PETSC_SUCCESS);
    zeros.Written(Where::device);
    EXPECT_EQ(Read(zeros, Where::host)[4], 0);
    EXPECT_EQ(zeros.State(), Valid::both);

    const double six[] = {6, 5};
    ASSERT_EQ(zeros.Assign(Where::device, six, 2), PETSC_SUCCESS);
    EXPECT_EQ(zeros.State(), Valid::device);
    std::shared_ptr<double> held = zeros.Share(Where::device);
    zeros.Resize(3);
    ASSERT_EQ(cudaMemcpy(more, held.get(), 2 * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess); /* still there */
    EXPECT_EQ(more[1], 5);
  }
}

TEST_F(BufferCuda, NoMemoryIsNoErrorWhereItIsTried)
{
  Numbers b(std::size_t(1) << 45), small(2);
  double *array = nullptr;

  ASSERT_EQ(b.TryMemory(Where::device, &array), PETSC_SUCCESS);
  EXPECT_EQ(array, nullptr);
  ASSERT_EQ(small.TryMemory(Where::device, &array), PETSC_SUCCESS);
  EXPECT_NE(array, nullptr);
}

#endif

} // namespace
