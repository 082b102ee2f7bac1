/*
   The owner of an array on the host, on the device, or on both: its memory on either side, allocated on first use, and
   one state that tells which side is up to date. An object that shares a side keeps that memory alive. Glue, as
   memory.hpp; kernels receive plain pointers.
*/
#pragma once

#include "memory.hpp"
#include "space.hpp"
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace heptane
{

/* The sides on which the values of an array are up to date */
enum class Valid { nowhere = 0, host = 1, device = 2, both = 3 };

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "copied between host and device byte by byte");

public:
  Buffer() = default;
  explicit Buffer(std::size_t elements) : n(elements) {}
  Buffer(Buffer &&from) noexcept { *this = std::move(from); }
  Buffer &operator=(Buffer &&from) noexcept
  {
    n      = std::exchange(from.n, 0);
    host   = std::move(from.host);
    device = std::move(from.device);
    valid  = std::exchange(from.valid, Valid::nowhere);
    return *this;
  }

  std::size_t Size() const { return n; }
  /* Sets another size: frees the memory, and with it the values */
  void Resize(std::size_t elements)
  {
    if (elements == n) return;
    Free();
    n = elements;
  }
  /* Frees the memory of both sides, except if it is shared; the size is 0 */
  void Free()
  {
    host.reset();
    device.reset();
    n     = 0;
    valid = Valid::nowhere;
  }
  /* Refers to the caller's host array, which must not change until this is resized or freed, and is only read here */
  void Refer(const T values[], std::size_t elements)
  {
    Free();
    n     = elements;
    host  = std::shared_ptr<T>(std::shared_ptr<T>(), const_cast<T *>(values)); /* not owned */
    valid = Valid::host;
  }
  void Refer(const std::vector<T> &values) { Refer(values.data(), values.size()); }
  /* Moves the values here, on the host */
  void Take(std::vector<T> &&values)
  {
    auto taken = std::make_shared<std::vector<T>>(std::move(values));

    Free();
    n     = taken->size();
    host  = std::shared_ptr<T>(taken, taken->data());
    valid = Valid::host;
  }

  /* Allocates memory there, without initial values. Does not change which side is valid: see Written(). */
  PetscErrorCode Make(Where where)
  {
    PetscFunctionBegin;
    PetscCall(Make(where, false));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* The same, and returns the address; null if the size is 0 */
  PetscErrorCode Memory(Where where, T **array)
  {
    PetscFunctionBegin;
    *array = nullptr;
    PetscCall(Make(where, false));
    *array = At(where);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* The same, with zeros if the memory is new */
  PetscErrorCode Zeros(Where where, T **array)
  {
    PetscFunctionBegin;
    *array = nullptr;
    PetscCall(Make(where, true));
    *array = At(where);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* The same, for at least one element. A failed allocation is no error: *array is then null */
  PetscErrorCode TryMemory(Where where, T **array)
  {
    PetscFunctionBegin;
    *array = nullptr;
    if (!Side(where)) PetscCall(TryMake(where));
    *array = At(where);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* The memory there, null if there is none */
  T *At(Where where) const { return where == Where::host ? host.get() : device.get(); }
  /* Keeps the present memory alive while the result exists */
  std::shared_ptr<T> Share(Where where) const { return where == Where::host ? host : device; }

  Valid State() const { return valid; }
  bool  ValidAt(Where where) const { return static_cast<int>(valid) & Bit(where); }
  /* Marks the values there as up to date, and the values on the other side as out of date */
  void Written(Where where) { valid = static_cast<Valid>(Bit(where)); }
  /* Marks the values of both sides, or only there, as out of date; the memory stays */
  void Invalidate() { valid = Valid::nowhere; }
  void Invalidate(Where where) { valid = static_cast<Valid>(static_cast<int>(valid) & ~Bit(where)); }
  /* Returns the values, after copying them if they are valid only on the other side */
  PetscErrorCode Read(Where where, const T **array)
  {
    PetscFunctionBegin;
    *array = nullptr;
    if (!ValidAt(where)) {
      const Where from = where == Where::host ? Where::device : Where::host;
      T          *to   = nullptr;

      PetscCheck(ValidAt(from), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The values of an array of %zu elements are up to date neither on the host nor on the device",
                 n);
      PetscCall(Memory(where, &to));
      if (where == Where::device) PetscCall(CopyToDevice(to, At(from), n));
      else PetscCall(CopyToHost(to, At(from), n));
      valid = Valid::both;
    }
    *array = n ? At(where) : nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Copies a host array there */
  PetscErrorCode Assign(Where where, const T from[], std::size_t elements)
  {
    T *to = nullptr;

    PetscFunctionBegin;
    Resize(elements);
    Invalidate();
    PetscCall(Memory(where, &to));
    if (where == Where::device) PetscCall(CopyToDevice(to, from, n));
    else std::copy_n(from, n, to);
    Written(where);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Assign(Where where, const std::vector<T> &from)
  {
    PetscFunctionBegin;
    PetscCall(Assign(where, from.data(), from.size()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  static int          Bit(Where where) { return static_cast<int>(where == Where::host ? Valid::host : Valid::device); }
  std::shared_ptr<T> &Side(Where where) { return where == Where::host ? host : device; }

  PetscErrorCode Make(Where where, bool zeros)
  {
    T *made = nullptr;

    PetscFunctionBegin;
    if (Side(where) || !n) PetscFunctionReturn(PETSC_SUCCESS);
    if (where == Where::host) {
      if (zeros) PetscCall(PetscCalloc1(n, &made));
      else PetscCall(PetscMalloc1(n, &made));
      host = std::shared_ptr<T>(made, [](T *a) { PetscCallAbort(PETSC_COMM_SELF, PetscFree(a)); });
    } else {
      if (zeros) PetscCall(DeviceCalloc(n, &made));
      else PetscCall(DeviceMalloc(n, &made));
      OwnOnDevice(made);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode TryMake(Where where)
  {
    const std::size_t elements = std::max<std::size_t>(n, 1);

    PetscFunctionBegin;
    if (elements > PTRDIFF_MAX / sizeof(T)) PetscFunctionReturn(PETSC_SUCCESS);
    if (where == Where::host) {
      T *made = static_cast<T *>(::operator new(elements * sizeof(T), std::nothrow));

      if (made) host = std::shared_ptr<T>(made, [](T *a) { ::operator delete(a); });
    } else {
      T *made = nullptr;

      PetscCall(DeviceTryMalloc(elements, &made));
      if (made) OwnOnDevice(made);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void OwnOnDevice(T *made)
  {
    device = std::shared_ptr<T>(made, [](T *a) { DeviceFree(a); });
  }

  std::size_t        n = 0;
  std::shared_ptr<T> host, device;
  Valid              valid = Valid::nowhere;
};

} // namespace heptane
