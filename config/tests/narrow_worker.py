"""The product's worker with little room for bodies."""

from config.serving import worker

worker.BODIES_MAX_BYTES = 250_000


class NarrowWorker(worker.PatientWorker):
    pass
