"""llama.cpp's server, on loopback: `python -m config.running.llama_server MODEL NAME PORT THREADS
CONTEXT_TOKENS MEMORY_MB`. One answer at a time; the others wait for it.

Bound: what it takes from the system beside the model's file, which is mapped, and its threads.
"""

import resource
import signal
import sys

MEGABYTE = 1024 * 1024


def main(model: str, name: str, port: int, *, threads: int, context: int, memory_mb: int) -> None:
    limit = memory_mb * MEGABYTE
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    import xllamacpp  # below its limit

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.warmup = False
    server = xllamacpp.Server(params)  # serves from threads of its own, as long as it lives
    signal.pause()
    del server


if __name__ == "__main__":
    words = sys.argv[1:]
    threads, context, memory = map(int, words[3:])
    main(words[0], words[1], int(words[2]), threads=threads, context=context, memory_mb=memory)
