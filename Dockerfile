# The service in one container: web, workers and beat, and PostgreSQL and Redis unless DATABASE_URL
# and REDIS_URL name others. docs/operations.md says how to run it.

# By its digest in production: --build-arg PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:… (docs/operations.md). None stands
# here, for there was no registry to ask where this was written; `python -m bench.supply` warns of it.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
FROM ${PYTHON_IMAGE} AS base
WORKDIR /app


FROM base AS build
# PyPI's torch brings gigabytes of CUDA; this index has the same version for processors only.
ARG PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
# Compiled here: the service cannot write beside its packages.
ENV PIP_EXTRA_INDEX_URL=${PIP_EXTRA_INDEX_URL} PIP_NO_CACHE_DIR=1 UV_COMPILE_BYTECODE=1
COPY locked/ locked/
COPY bin/_venv.sh bin/
RUN ["bash", "-euo", "pipefail", "-c", "source bin/_venv.sh && install runtime"]


FROM base
# OCR's language data, and a first process that passes signals on and buries orphans.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tesseract-ocr-eng tesseract-ocr-spa tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /home/service service \
    && install --directory --owner service --group service --mode 700 /data
COPY --from=build /app/.venv .venv
COPY . .
# Whatever the umask of the clone: the service reads its code, and cannot change it.
RUN find . -path ./.venv -prune -o -exec chmod a+rX {} +

USER service
VOLUME /data
ENV ENVIRONMENT=production HOST=0.0.0.0 PORT=8000 DATA_DIR=/data
EXPOSE 8000
# The start migrates, and exports the embedding model the first time.
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 \
    CMD [".venv/bin/python", "-c", "import os, urllib.request as request; request.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--", "bin/up"]
