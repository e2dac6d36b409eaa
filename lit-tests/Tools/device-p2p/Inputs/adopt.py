# What torch_symmetric.py does with the C interface, without PyTorch: a rank adopts memory of its own, and puts to itself.
#   adopt.py FOLDER-OF-THE-SCRIPT LIBRARY
import ctypes
import os
import sys

sys.path.insert(0, sys.argv[1])
import torch_symmetric as script


def allocate(runtime, context, size):
    buffer, address = ctypes.c_void_p(), ctypes.c_uint64()
    runtime.call("buffer_allocate", context, ctypes.c_uint64(size), ctypes.byref(buffer))
    runtime.call("buffer_address", buffer, ctypes.byref(address))
    runtime.call("buffer_fill", buffer, ctypes.c_uint8(0), ctypes.c_void_p(0))
    return buffer, address.value


def main():
    runtime = script.Runtime(sys.argv[2])
    context = runtime.make_context(0)
    buffers, (memory, counters, source) = zip(
        *(allocate(runtime, context, size) for size in (script.BLOCK, 8 * script.SIGNALS, script.BLOCK)))
    runtime.call("buffer_fill", buffers[2], ctypes.c_uint8(7), ctypes.c_void_p(0))
    comm = runtime.connect(context, 0, 1, f"adopt-{os.getpid()}")
    buffer = runtime.adopt(comm, [memory], script.BLOCK, [counters])
    for value, transport in enumerate((script.COPY_ENGINE, script.TMA), 1):
        runtime.put_signal(buffer, 0, 16, source, 100, value, transport, 0)
        runtime.wait(buffer, 0, value, 0)
        runtime.call("comm_synchronize", comm, ctypes.c_void_p(0))
        runtime.call("comm_barrier", comm)
        got = (ctypes.c_uint8 * 132)()
        runtime.call("buffer_download", buffers[0], got, ctypes.c_uint64(132), ctypes.c_uint64(0), ctypes.c_void_p(0))
        print("transport", transport, "right" if bytes(got) == bytes(16) + bytes([7] * 100) + bytes(16) else "wrong")
        runtime.call("buffer_fill", buffers[0], ctypes.c_uint8(0), ctypes.c_void_p(0))
    try:
        runtime.put_signal(buffer, 1, 0, source, 1, 3, script.COPY_ENGINE, 0)
    except RuntimeError as error:
        print(error)
    runtime.release("symmetric_free", buffer)
    runtime.release("comm_destroy", comm)
    for memory in buffers:
        runtime.release("buffer_free", memory)
    runtime.release("context_destroy", context)


main()
