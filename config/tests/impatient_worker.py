"""The product's worker with shorter patience, and place for few connections."""

from config.serving import worker

worker.HEAD_SECONDS = 1
worker.BODY_SECONDS = 1
worker.READER_SECONDS = 1
worker.BODY_BYTES_PER_SECOND = 100 * 1024 * 1024
worker.PARKED_MAX = 20


class ImpatientWorker(worker.PatientWorker):
    pass
